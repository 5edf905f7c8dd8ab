"""Common parts of the queries on a fixed region: groups that are looked up together, and debouncing."""
