"""What was recorded, said and measured, for the pages of the web app: read, changed, reviewed."""
