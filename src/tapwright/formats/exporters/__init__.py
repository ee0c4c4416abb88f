"""Writers of training sets, one for each trainer, and what they share."""
