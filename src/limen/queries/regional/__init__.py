"""What queries on a fixed region share: groups that are looked up together, and debouncing."""
