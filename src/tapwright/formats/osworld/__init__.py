"""OSWorld's results: a folder for each attempt, with its actions, screens and score."""
