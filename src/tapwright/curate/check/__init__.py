"""Find what is wrong with recorded episodes; nothing is ever changed."""
