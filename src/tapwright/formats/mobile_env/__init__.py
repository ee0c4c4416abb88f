"""Mobile-Env's recordings as episodes, and back without a loss."""
