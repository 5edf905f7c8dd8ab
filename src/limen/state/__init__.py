"""How state is written and read."""
