"""Limits of what task definitions and templates may cost; `docs/limits.md` lists them."""

__all__ = [
    "MAX_EXPRESSION_BITS", "MAX_EXPRESSION_BUDGET", "MAX_EXPRESSION_COLLISIONS",
    "MAX_EXPRESSION_SECONDS", "MAX_EXPRESSION_SOURCE", "MAX_EXPRESSION_TEXT", "MAX_FILE_BYTES",
    "MAX_PATTERN", "MAX_PATTERN_REPEATS", "MAX_PATTERN_SECONDS", "MAX_PATTERN_TEXT", "MAX_SELECTOR",
    "MAX_SELECTOR_WORK",
]  # fmt: skip

MAX_EXPRESSION_SOURCE = 20_000
"""Characters of a transformation."""
MAX_EXPRESSION_BUDGET = 100_000
"""Operations of an evaluation, and elements of its values; 8 characters count as one."""
MAX_EXPRESSION_TEXT = 50_000
"""Characters, or elements, of one value that an expression makes."""
MAX_EXPRESSION_BITS = 4_096
"""Bits of a number that an expression makes."""
MAX_EXPRESSION_COLLISIONS = 2_000
"""Numbers and tuples that become a set or the keys of a dictionary at once.

Their hashes are known, so a file could choose them to be equal.
"""
MAX_EXPRESSION_SECONDS = 1.0
"""Processor time of an evaluation."""

MAX_PATTERN = 2_000
"""Characters of a regular expression."""
MAX_PATTERN_REPEATS = 100_000
"""Parts of a regular expression when its counted repeats are written out: `(ab){500}` has 1,000."""
MAX_PATTERN_TEXT = 20_000
"""Characters of a text that are searched."""
MAX_PATTERN_SECONDS = 0.25
"""Time of one search."""

MAX_SELECTOR = 1_000
"""Characters of a selector of elements."""
MAX_SELECTOR_WORK = 10_000_000
"""Elements that a selector may look at in one view hierarchy, over and over."""

MAX_FILE_BYTES = 4_000_000
"""Bytes of a task definition, a template, a table or a file of rules."""
