"""Readers of other tools' recordings, and the job that brings them into a store."""
