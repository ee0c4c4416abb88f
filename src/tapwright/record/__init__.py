"""The recording stage: tasks become demonstrations."""
