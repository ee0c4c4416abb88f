"""Curation of stores: checks, edits, copies, duplicates, splits and differences."""
