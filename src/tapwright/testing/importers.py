"""A checker for importers: what they read is kept, told, and the same each time."""

from pathlib import Path
from tempfile import TemporaryDirectory

from tapwright.core.episode import Episode
from tapwright.errors import TapwrightError
from tapwright.formats.format import EpisodeImporter, UnreadableEpisode
from tapwright.formats.importers.account import OpenedFiles, keep_account
from tapwright.store.store import EpisodeStore
from tapwright.testing.conformance import must, must_have

__all__ = ["check_importer"]


def check_importer(importer: EpisodeImporter, path: Path) -> None:
    """Check what every importer promises, on recordings of its format at `path`.

    It recognizes them and no empty file; it opens files by the functions that keep the account;
    ids are those of the data, and each once; an episode can be stored, and is read as it was; what
    is broken is told and never raised, as a recording cut in half shows.

    Raises:
        ConformanceError: it breaks a law; the message names which.
    """
    must_have(importer, EpisodeImporter)
    who = importer.name
    files = [one for one in sorted(path.rglob("*")) if one.is_file()] if path.is_dir() else [path]
    known = [one for one in files if importer.recognizes(one)]
    must(bool(known) or importer.recognizes(path), who, f"it recognizes a file of {path}")
    with keep_account(OpenedFiles()) as account:
        found = list(importer.read(path))
    episodes = [one for one in found if isinstance(one, Episode)]
    must(bool(episodes), who, "it reads an episode", found)
    must(all(one in account.opened for one in known), who, "it opens files by `read_bytes`")
    ids = [one.id for one in episodes]
    must(len(set(ids)) == len(ids), who, "each episode has an id of its own", ids)
    again = [one.id for one in importer.read(path) if isinstance(one, Episode)]
    must(again == ids, who, "ids are the same each time", again)
    with TemporaryDirectory() as directory:
        _check_kept(who, episodes, EpisodeStore(Path(directory, "store")))
        _check_cut(importer, known, Path(directory, "cut"))


def _check_kept(who: str, episodes: list[Episode], store: EpisodeStore) -> None:
    for one in episodes:
        try:
            store.write(one)
        except TapwrightError as error:
            must(False, who, f"{one.id} can be stored", str(error))
        must(store.read(one.id) == one, who, f"{one.id} is read as it was written")


def _check_cut(importer: EpisodeImporter, known: list[Path], folder: Path) -> None:
    """Nothing escapes of a file that ends in the middle, or is empty."""
    for file in known[:5]:
        for share in (0, 2):
            cut = folder / str(share) / file.name
            cut.parent.mkdir(parents=True, exist_ok=True)
            cut.write_bytes(file.read_bytes()[: file.stat().st_size // share] if share else b"")
            must(share > 0 or not importer.recognizes(cut), importer.name, "no empty file is its")
            told = list(importer.read(cut))
            read = [one for one in told if not isinstance(one, UnreadableEpisode)]
            must(not (read and not share), importer.name, "it reads an empty file", read)
