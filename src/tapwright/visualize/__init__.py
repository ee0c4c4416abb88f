"""The visualization stage: frames, contact sheets, videos, statistics of episodes."""
