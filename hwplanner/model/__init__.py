"""What a language model is made of, and what it weighs in a number format."""
