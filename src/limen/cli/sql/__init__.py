"""`limen sql`: the interactive shell."""
