"""MobiAgent's recorded trajectories, imported as episodes and exported."""
