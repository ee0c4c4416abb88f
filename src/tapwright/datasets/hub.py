"""Data sets of the Hugging Face hub, listed by its own library.

`huggingface_hub` knows the API, the user's token and what its cache holds; the bytes are downloaded
by `download.py`, as those of other servers are: the library checks no hash, and pauses as long as a
server likes. https://huggingface.co/docs/hub/api
"""

import time
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from tapwright.datasets.dataset import Access, Digest, Listing, RemoteFile
from tapwright.datasets.errors import DownloadError
from tapwright.datasets.responses import pause_after_status
from tapwright.errors import MissingExtraError

if TYPE_CHECKING:
    from types import ModuleType

    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoFile, RepoSibling

__all__ = ["HUB", "HubSource", "find_cached", "import_hub", "saved_token"]

HUB = "https://huggingface.co"
_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class HubSource:
    """The files of a data set's repository that match one of the patterns; all without them."""

    repository: str
    revision: str
    patterns: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """Its page."""
        return f"{HUB}/datasets/{self.repository}"

    def list_files(self, access: Access, revision: str) -> Listing:
        """The files at a commit, with the hashes that the hub states.

        Raises:
            MissingExtraError: huggingface_hub is not installed.
            DownloadError: its licence was not accepted, or there is no token.
            DownloadError: there is no such repository or revision, or the hub does not respond.
        """
        import_hub()
        from httpx2 import HTTPError
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError

        endpoint = access.hub or HUB
        page = f"{endpoint}/datasets/{self.repository}"
        api = HfApi(endpoint=endpoint, token=access.token or False)
        failures = 0
        while True:
            try:
                return self._list(api, endpoint, revision)
            except HfHubHTTPError as error:
                answer = error.response
                wait = answer.headers.get("Retry-After")
                time.sleep(pause_after_status(page, answer.status_code, wait, failures, gate=page))
                failures += 1
            except (HTTPError, OSError, ValueError) as error:
                raise DownloadError(
                    f"{page}: the hub does not respond: {error}",
                    hint="check the network, HTTPS_PROXY and HF_ENDPOINT, and repeat the command",
                ) from error

    def _list(self, api: "HfApi", endpoint: str, revision: str) -> Listing:
        from huggingface_hub.hf_api import RepoFile

        info = api.dataset_info(
            self.repository, revision=revision or None, files_metadata=True, timeout=_TIMEOUT_S
        )
        commit = info.sha or revision
        entries: list[RepoSibling | RepoFile] = list(info.siblings or ())
        if any(one.size is None for one in entries):  # a mirror without these details
            tree = api.list_repo_tree(
                self.repository, repo_type="dataset", revision=commit, recursive=True
            )
            entries = [one for one in tree if isinstance(one, RepoFile)]
        base = f"{endpoint}/datasets/{self.repository}/resolve/{commit}"
        files = (_remote_file(base, one) for one in entries)
        wanted = (one for one in files if self._wants(one.path))
        return Listing(commit, tuple(sorted(wanted, key=lambda one: one.path)))

    def _wants(self, path: str) -> bool:
        return not self.patterns or any(fnmatch(path, pattern) for pattern in self.patterns)


def find_cached(source: HubSource, revision: str, path: str) -> Path | None:
    """The file in the hub's own cache at this commit, if it is there; HF_HOME sets its place."""
    import_hub()
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(source.repository, path, revision=revision, repo_type="dataset")
    return Path(found) if isinstance(found, str) and Path(found).is_file() else None


def saved_token() -> str | None:
    """The token of `hf auth login`; None without one, or without the library."""
    try:
        from huggingface_hub import get_token
    except ModuleNotFoundError:
        return None
    return get_token()


def _remote_file(base: str, entry: "RepoSibling | RepoFile") -> RemoteFile:
    from urllib.parse import quote

    path = entry.path if hasattr(entry, "path") else entry.rfilename
    digest = None
    if entry.lfs is not None and entry.lfs.sha256:
        digest = Digest("sha256", entry.lfs.sha256)
    elif entry.blob_id:
        digest = Digest("git-sha1", entry.blob_id)
    return RemoteFile(path, f"{base}/{quote(path)}", entry.size, digest)


def import_hub() -> "ModuleType":
    """The hub's own library.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        import huggingface_hub
    except ModuleNotFoundError as error:
        raise MissingExtraError("a data set of the Hugging Face hub", "data") from error
    return huggingface_hub
