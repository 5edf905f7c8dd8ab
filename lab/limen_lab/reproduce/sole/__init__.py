"""The figures of the SOLE paper."""
