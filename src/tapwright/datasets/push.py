"""Pushes a directory to a data set's repository of the Hugging Face hub, by its own library.

Files go in commits of a few dozen; what the hub has already is not sent again, so a push that was
interrupted continues when it is repeated. The card goes last, so that it never names a file that is
missing. Of the directory's own folders, files at the hub that are no longer here are deleted.
https://huggingface.co/docs/hub/api
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from tapwright.datasets.dataset import Access
from tapwright.datasets.errors import UPLOAD
from tapwright.datasets.hub import HUB, import_hub
from tapwright.errors import NothingFoundError, UsageError
from tapwright.files.links import LINK_HINT, stays_within

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

__all__ = ["CARD", "list_local_files", "push_directory"]

CARD = "README.md"
_COMMIT_FILES = 48


def list_local_files(directory: Path, left_out: Sequence[str] = ()) -> list[str]:
    """The files below a directory as paths with slashes, sorted; hidden ones are no part of it.

    Raises:
        NothingFoundError: there are none.
        UsageError: a link leads to a file elsewhere, which would be published.
    """
    found = [path.relative_to(directory) for path in sorted(directory.rglob("*")) if path.is_file()]
    shown = [path for path in found if not any(part.startswith(".") for part in path.parts)]
    files = [one for path in shown if (one := path.as_posix()) not in left_out]
    for path in files:
        if not stays_within(directory / path, directory):
            where = os.path.realpath(directory / path)
            raise UsageError(
                f"{directory / path}: leads out of the directory, to {where}", hint=LINK_HINT
            )
    if not files:
        raise NothingFoundError(f"{directory}: no files to push")
    return files


def push_directory(
    directory: Path,
    files: Sequence[str],
    repository: str,
    access: Access,
    *,
    card: str = "",
    public: bool = False,
    message: str,
    advance: Callable[[int], None] = lambda _: None,
) -> str:
    """Push `files` of a directory, and return the address of the repository.

    A repository that does not exist is made, private unless `public`; an existing one stays as it
    is. `card` is its README where the directory has none. `advance` is called with the number of
    files that are there.

    Raises:
        UsageError: `repository` is no name of a repository.
        MissingExtraError: huggingface_hub is not installed.
        TapwrightError: the hub refuses it, or does not respond; what it has stays there.
    """
    import_hub()
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils._validators import validate_repo_id
    from huggingface_hub.utils.tqdm import disable_progress_bars

    endpoint = access.hub or HUB
    page = f"{endpoint}/datasets/{repository}"
    again = f"tapwright data push {directory} {repository}"
    try:
        validate_repo_id(repository)
    except HFValidationError as error:
        raise UsageError(f"{repository!r}: {error}", hint="OWNER/NAME") from error
    disable_progress_bars()
    api = HfApi(endpoint=endpoint, token=access.token or False)
    own = list(files)
    cards: Mapping[str, bytes | str] = (
        {CARD: str(directory / CARD)} if CARD in own else ({CARD: card.encode()} if card else {})
    )
    with _wrap_errors(page, again):
        api.create_repo(
            repository, repo_type="dataset", private=None if public else True, exist_ok=True
        )
        gone = _list_gone(api, repository, own)
        rest = [path for path in own if path != CARD]
        for start in range(0, len(rest), _COMMIT_FILES):
            part = rest[start : start + _COMMIT_FILES]
            additions = [CommitOperationAdd(path, str(directory / path)) for path in part]
            _commit(api, repository, additions, message)
            advance(len(part))
        last = [CommitOperationAdd(path, data) for path, data in cards.items()]
        _commit(api, repository, [*last, *map(CommitOperationDelete, gone)], message)
        advance(len(last))
    return page


def _commit(
    api: "HfApi",
    repository: str,
    operations: "Sequence[CommitOperationAdd | CommitOperationDelete]",
    text: str,
) -> None:
    if operations:
        api.create_commit(repository, operations, commit_message=text, repo_type="dataset")


def _list_gone(api: "HfApi", repository: str, own: Sequence[str]) -> list[str]:
    """The files at the hub, in folders that the directory has, that it no longer has."""
    from huggingface_hub.hf_api import RepoFile

    here = set(own)
    folders = {str(PurePosixPath(path).parent) for path in own} - {"."}
    tree = api.list_repo_tree(repository, repo_type="dataset", recursive=True)
    there = (one.path for one in tree if isinstance(one, RepoFile))
    return sorted(
        path for path in there if str(PurePosixPath(path).parent) in folders and path not in here
    )


@contextmanager
def _wrap_errors(page: str, again: str) -> Iterator[None]:
    from httpx2 import HTTPError
    from huggingface_hub.errors import HfHubHTTPError

    try:
        yield
    except HfHubHTTPError as error:
        status = error.response.status_code
        words = str(error.server_message or "").strip() or f"status {status}"
        hint = f"repeat it; what is there is not sent again: {again}"
        if status in (401, 403):
            hint = "a token that may write: HF_TOKEN, or hf auth login"
        raise UPLOAD(f"{page}: the hub refuses it, {status}: {words}", hint=hint) from error
    except (HTTPError, OSError, ValueError, RuntimeError) as error:
        raise UPLOAD(
            f"{page}: the hub does not take it: {error.__cause__ or error}",
            hint=f"check the network and HF_ENDPOINT; it continues with: {again}",
        ) from error
