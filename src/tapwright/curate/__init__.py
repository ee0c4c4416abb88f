"""Curation of stores: copies, duplicates, splits and differences."""
