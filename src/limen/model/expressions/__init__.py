"""Conditions in SQL on the columns of a row."""
