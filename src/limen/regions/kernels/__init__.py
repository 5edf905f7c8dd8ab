"""Kernels of the region indexes."""
