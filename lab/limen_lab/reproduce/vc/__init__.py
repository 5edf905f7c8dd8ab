"""The figures of the virtual construct paper."""
