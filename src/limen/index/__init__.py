"""Queries and ids arranged for look-up, one file each."""
