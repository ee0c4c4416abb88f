"""Episodes on disk: lines, versions, a catalog, and steps that are read when looked at."""
