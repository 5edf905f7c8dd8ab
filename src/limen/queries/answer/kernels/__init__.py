"""Kernels of live result sets."""
