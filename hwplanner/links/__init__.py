"""A scenario as a link, and any text as a scenario."""
