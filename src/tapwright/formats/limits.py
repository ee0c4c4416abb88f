"""Limits of what foreign files may cost; `docs/limits.md` lists them."""

__all__ = [
    "MAX_ARCHIVE_HEADER_BYTES", "MAX_ARCHIVE_MEMBERS", "MAX_ARCHIVE_MEMBERS_PER_KB",
    "MAX_EPISODE_STEPS", "MAX_FILE_BYTES", "MAX_MEMBER_DEPTH", "MAX_OBJECT_PICKLE_OPCODES",
    "MAX_PICKLE_NUMBER_KEYS", "MAX_PICKLE_OPCODES", "MAX_PICKLE_TUPLE", "MAX_RECORD_BYTES",
    "MAX_UNPACKED_BYTES", "MAX_UNPACKED_RATIO", "MAX_UNREADABLE",
]  # fmt: skip

MAX_FILE_BYTES = 256_000_000
"""Bytes of a file, or of a line, that is read as a whole, or looked at to know its format."""
MAX_EPISODE_STEPS = 20_000
"""Steps of an episode that is imported."""
MAX_UNREADABLE = 10_000
"""Unreadable episodes of one source; what follows them is not read."""

MAX_UNPACKED_RATIO = 50
"""Bytes that a byte of an archive or of a gzipped file may become, above `MAX_UNPACKED_BYTES`."""
MAX_UNPACKED_BYTES = 64_000_000
"""Bytes that a small archive or gzipped file may become, whatever its ratio."""
MAX_ARCHIVE_MEMBERS = 10_000
"""Members of an archive, whatever its size."""
MAX_ARCHIVE_MEMBERS_PER_KB = 4
"""Members of an archive for each 1,000 bytes of it, above `MAX_ARCHIVE_MEMBERS`."""
MAX_ARCHIVE_HEADER_BYTES = 1_000_000
"""Bytes of the header of a member of a tar archive, with all that extends it."""
MAX_MEMBER_DEPTH = 32
"""Directories in each other in an archive."""

MAX_RECORD_BYTES = 128_000_000
"""Bytes of a record of a TFRecord file."""

MAX_PICKLE_OPCODES = 2_000_000
"""Opcodes of a pickle; a recorded step has some 100."""
MAX_OBJECT_PICKLE_OPCODES = 20_000_000
"""Opcodes of a pickle with objects; a step with 50 elements of a screen has some 4,000."""
MAX_PICKLE_TUPLE = 100_000
"""Elements of a tuple, with those of the tuples in it as often as they are there."""
MAX_PICKLE_NUMBER_KEYS = 2_000
"""Keys of the dictionaries of a pickle that are no texts.

Their hashes are known, so a file could choose them to be equal.
"""
