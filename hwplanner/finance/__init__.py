"""What is worked out from a plan: requests by part, an API's price, ways to pay, life, cash."""
