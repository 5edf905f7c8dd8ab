"""A finished run as one HTML file: kinds of events, times, places and streams."""
