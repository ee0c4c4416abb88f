"""Pushes what was packed or exported to the Hugging Face hub."""

from pathlib import Path

from tapwright.errors import NothingFoundError
from tapwright.workflows.datasets import data_access
from tapwright.workflows.host import HostConfig
from tapwright.workflows.progress import ShowProgress, no_progress

__all__ = ["push_directory"]


def push_directory(
    directory: Path,
    repository: str,
    host: HostConfig,
    *,
    public: bool = False,
    show_progress: ShowProgress = no_progress,
) -> str:
    """Push a packed data set, a training set or any other directory; returns the page's address.

    The ledger of a pack stays here: it is about this directory. A training set without a card gets
    one. The servers and the token are those of `data get`.

    Raises:
        NothingFoundError: there is no such directory, or nothing in it.
        UsageError: `repository` is no name of a repository.
        MissingExtraError: huggingface_hub is not installed.
        TapwrightError: the hub refuses it, or does not respond; the same call continues.
    """
    from tapwright.datasets.push import CARD, list_local_files
    from tapwright.datasets.push import push_directory as push
    from tapwright.formats.exporters.card import render_training_card
    from tapwright.formats.pack.pack import LEDGER

    if not directory.is_dir():
        raise NothingFoundError(
            f"{directory}: no such directory", hint="tapwright episodes pack STORE -o DIR"
        )
    files = list_local_files(directory, left_out=(LEDGER,))
    card = "" if CARD in files else render_training_card(directory)
    count = len(files) + bool(card)
    with show_progress("push", count) as advance:
        return push(
            directory, files, repository, data_access(host),
            card=card, public=public, message="Push with tapwright", advance=advance,
        )  # fmt: skip
