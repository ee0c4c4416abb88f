"""Recorded steps as trainers load them: in order, shuffled, dealt out, resumed."""
