"""A finished run as one HTML file: what happened, when, where and to whom."""
