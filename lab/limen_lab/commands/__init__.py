"""The commands that the laboratory adds to `limen`."""
