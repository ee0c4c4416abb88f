"""The looking stage: episodes become pictures."""
