"""Pickles of plain data, read without running anything, and written as a stream."""
