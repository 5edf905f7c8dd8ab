"""Compiled loops over arrays: the hot paths. They know NumPy arrays and each other, nothing else."""
