"""A store as a packed data set (Parquet), and back."""
