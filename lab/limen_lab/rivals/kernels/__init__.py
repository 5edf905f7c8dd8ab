"""Kernels of the rival indexes."""
