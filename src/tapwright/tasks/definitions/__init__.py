"""Task definitions as files: the text format of protocol buffers, checked and made tasks."""
