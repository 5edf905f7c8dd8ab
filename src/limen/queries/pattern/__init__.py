"""Patterns (CCQ): constraints in space, time and attributes between several rows."""
