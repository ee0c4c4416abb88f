"""Task definitions out of templates: slots, what fills them, and tasks of several steps."""
