"""Milestones of a task: graphs of them, and whether an episode passes them."""
