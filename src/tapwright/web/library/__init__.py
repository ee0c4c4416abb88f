"""The library pages of the web app: episodes, edits, reviews and evaluation runs."""
