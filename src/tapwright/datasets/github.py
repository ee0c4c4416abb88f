"""Data sets that lie in a git repository on GitHub: one archive of a commit.

GitHub packs the archive anew at each request, so its bytes have no hash that lasts. But `git
archive` writes the commit into the archive's comment (https://git-scm.com/docs/git-archive), and
the content has a hash of its own here: SHA-256 over a line with git's blob id and the path of each
file, in the order of the paths, as `git ls-tree -r` has them.
"""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from tapwright.datasets.dataset import Access, Listing, RemoteFile
from tapwright.datasets.errors import WrongHashError
from tapwright.datasets.hashing import hash_file

__all__ = ["GITHUB", "GitHubSource", "check_commit", "hash_folder"]

GITHUB = "https://codeload.github.com"


@dataclass(frozen=True, slots=True)
class GitHubSource:
    """A commit of a repository; `server` packs it."""

    repository: str
    revision: str
    server: str = GITHUB

    @property
    def address(self) -> str:
        """Its page."""
        return f"https://github.com/{self.repository}/tree/{self.revision}"

    def list_files(self, access: Access, revision: str) -> Listing:
        """The archive, whose size is unknown until it is packed; nothing is requested yet."""
        url = f"{self.server}/{self.repository}/zip/{self.revision}"
        return Listing(self.revision, (RemoteFile("archive.zip", url),))


def check_commit(archive: Path, commit: str) -> None:
    """Check that an archive is that of a commit.

    Raises:
        WrongHashError: its comment names another, or it is no archive; it was removed.
    """
    try:
        with ZipFile(archive) as opened:
            found = opened.comment.decode("ascii", "replace")
    except BadZipFile as error:
        found = f"no archive ({error})"
    if found != commit:
        archive.unlink()
        raise WrongHashError(
            f"{archive.name} is of the commit {found[:80] or '(none)'}; expected {commit}",
            hint="repeat the command; behind a proxy, check what it hands out",
        )


def hash_folder(folder: Path, besides: Collection[str] = ()) -> str:
    """The hash of all files below a folder but those named; their modes do not count."""
    lines = (
        f"{hash_file(path, 'git-sha1')} {path.relative_to(folder).as_posix()}\n"
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).as_posix() not in besides
    )
    return hashlib.sha256("".join(sorted(lines, key=lambda line: line[41:])).encode()).hexdigest()
