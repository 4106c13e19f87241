"""A plan in words, tables and the rows of charts."""
