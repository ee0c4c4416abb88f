"""What everybody speaks of: actions, screens, episodes, messages."""
