"""The application: record, annotate, evaluate, export and pack, here or on a Ray cluster."""
