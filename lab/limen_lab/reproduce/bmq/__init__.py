"""The figures of the border monitoring papers."""
