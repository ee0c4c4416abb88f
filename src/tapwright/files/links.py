"""Links, and files of others: symbolic links stay in the directory of a data set, which may be one.

A stranger's link could name any file of this machine, whose contents would then be part of what is
imported, sent to a model, or published. In the hub's cache a snapshot's links lead to the blobs
beside it (https://huggingface.co/docs/huggingface_hub/guides/manage-cache): those are followed.
"""

import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["LINK_HINT", "describe_link_out", "is_mine", "is_mine_alone", "stays_within"]

LINK_HINT = "if you trust who made the link, copy what it leads to: cp -rL DIR COPY"


def stays_within(path: Path, root: Path) -> bool:
    """Whether what `path` leads to, through links, lies in `root` or in its hub's cache."""
    real, whole = Path(os.path.realpath(path)), Path(os.path.realpath(root))
    return any(real.is_relative_to(one) for one in (whole, *_blobs(whole)))


def describe_link_out(path: Path, root: Path) -> str:
    """Which of the links at and below `path` leads out of `root`, and where to; "" when none."""
    for link in _links(path):
        if not stays_within(link, root):
            return f"{link}: a link that leads out of {root}, to {os.path.realpath(link)}"
    return ""


def _links(path: Path) -> Iterator[Path]:
    """The path itself, and each link below it; none that leads to a directory is entered."""
    yield path
    for folder, folders, names in os.walk(path):
        for name in (*folders, *names):
            one = Path(folder, name)
            if one.is_symlink():
                yield one


def _blobs(root: Path) -> Iterator[Path]:
    """`<repository>/blobs` of a directory in `<repository>/snapshots/<commit>`."""
    for folder in (root, *root.parents):
        if folder.parent.name == "snapshots":
            yield folder.parent.parent / "blobs"


def is_mine(status: os.stat_result) -> bool:
    """Whether a file or directory belongs to this user; on Windows each does."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def is_mine_alone(status: os.stat_result) -> bool:
    """Whether this user's file is open to nobody else, under one name; on Windows each is.

    There the bits say whether it may be written, for everybody alike.
    """
    is_open = hasattr(os, "geteuid") and status.st_mode & 0o077
    return is_mine(status) and not is_open and status.st_nlink == 1
