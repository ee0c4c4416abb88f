"""The editing stage: episodes become better ones."""
