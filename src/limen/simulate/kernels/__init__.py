"""Kernels of the road network."""
