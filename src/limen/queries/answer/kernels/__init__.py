"""Kernels of this family."""
