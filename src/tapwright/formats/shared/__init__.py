"""Stores that many machines write: packs, and a log of commits that say what is in them."""
