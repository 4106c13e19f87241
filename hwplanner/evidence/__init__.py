"""Published runs: their names, our estimates of them, how well these agree, how sure they are."""
