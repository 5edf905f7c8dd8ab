"""The figures of the pattern paper."""
