"""A static copy of the library pages: a folder that opens from file:// and from any plain server.

    <bundle>/
        index.html          one page, with a policy that allows nothing from outside the folder
        bundle.js .css      the pages as one classic script; from file:// no browser loads modules
        data/index.js       what there is, and in which file
        data/<n>.js         an episode, its trees, a run or a comparison, read when it is looked at
        pictures/ thumbs/   the original bytes and small copies, by their hash

Data is JSON in ASCII that a script file assigns, never HTML, so that whatever a task or a model
said is shown as text.
"""

import html
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import permutations
from pathlib import Path

from pydantic import JsonValue

from tapwright import __version__
from tapwright.evaluate.runlog import row_json
from tapwright.files.atomic import atomic_directory
from tapwright.screenshot import Screenshot
from tapwright.store.catalog import CatalogEntry
from tapwright.web.errors import BundleError
from tapwright.web.library.episodes import Episodes, Json, draw_thumb, entry_json, tree_json
from tapwright.web.library.library import Library
from tapwright.web.pages import BUILT

__all__ = ["write_bundle"]

THUMB_PX = 240
_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tapwright</title>
<link rel="stylesheet" href="bundle.css">
<script src="data/index.js" defer></script>
<script src="bundle.js" defer></script>
</head>
<body></body>
</html>
"""


def write_bundle(
    out: Path,
    library: Library,
    *,
    episodes: Sequence[str] = (),
    runs: Sequence[str] = (),
    advance: Callable[[int], object] = lambda _: None,
    built: Path = BUILT,
) -> None:
    """Write episodes of the library's store and runs of the library to the new directory `out`.

    Runs come with the episodes that they played, and each pair on the same data is compared.
    `advance` is called with 1 for each episode and each run that is written.

    Raises:
        BundleError: `out` is there already, or the pages are not built.
        EpisodeMissingError: the store has no such episode.
        ResourceNotFoundError: there is no such run.
        DiskError: the disk is full or not writable; then nothing is left behind.
    """
    pages = {name: built / "bundle" / name for name in ("bundle.js", "bundle.css")}
    missing = [str(path) for path in pages.values() if not path.is_file()]
    if missing:
        raise BundleError(
            f"{', '.join(missing)}: not built",
            hint="`make frontend` in a checkout builds the pages; a wheel has them",
        )
    if out.exists():
        raise BundleError(f"{out}: is there already", hint="give a directory that is not")
    with atomic_directory(out) as beside:
        writer = _Writer(beside)
        writer.shelf("", library.episodes, _chosen(library.episodes, episodes), advance)
        for name in runs:
            writer.run(library, name)
            played = library.runs.episodes(name)
            writer.shelf(name, played, played.catalog.read()[0], lambda _: None)
            advance(1)
        writer.runs(library, runs)
        for name, page in pages.items():
            (beside / name).write_bytes(page.read_bytes())
        policy = html.escape(_POLICY, quote=True)
        (beside / "index.html").write_text(_PAGE.format(policy=policy), "utf-8")


class _Writer:
    """Fills one bundle's directory; the index is written last."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._files: dict[str, int] = {}
        self._pictures: dict[str, JsonValue] = {}
        for name in ("data", "pictures", "thumbs"):
            (directory / name).mkdir()

    def shelf(
        self,
        run: str,
        shelf: Episodes,
        chosen: Sequence[CatalogEntry],
        advance: Callable[[int], object],
    ) -> None:
        """Some episodes of the store, or with a run's name those that it played."""
        self._data(
            ["episodes", run],
            {"store": str(shelf.store.root), "episodes": [entry_json(one) for one in chosen]},
        )
        for one in chosen:
            episode = shelf.episode(one.id)
            self._data(["episode", run, one.id], {**shelf.words(one.id), "may_edit": False})
            trees = [tree_json(step.observation, step) for step in episode.steps]
            self._data(["trees", run, one.id], {"trees": [*trees]})
            for step in episode.steps:
                for seen in step.screens:
                    self._picture(seen.screenshot.sha256, seen.screenshot)
            if episode.final is not None:
                self._picture(episode.final.screenshot.sha256, episode.final.screenshot)
            advance(1)

    def run(self, library: Library, name: str) -> None:
        """A run with the pictures and the log of its samples."""
        told = library.runs.run(name)
        self._data(["run", name], told)
        logged = {row.key: row_json(row) for row in library.runs.log(name).rows}
        self._data(["log", name], {"rows": logged})
        for key, picture in _pictures(told):
            if picture not in self._pictures:
                self._picture(picture, library.runs.seen(name, key).screenshot)

    def runs(self, library: Library, names: Sequence[str]) -> None:
        """The list of runs, the comparisons of each two on the same data, and the index."""
        told = library.runs.summaries()["runs"]
        listed = [one for one in told if _name(one) in names] if isinstance(told, list) else []
        data = {_name(one): one["data_sha256"] for one in listed if isinstance(one, dict)}
        for before, after in permutations(names, 2):
            if data[before] == data[after]:
                self._data(["compare", before, after], library.runs.compared(before, after))
        index: Json = {
            "version": __version__,
            "files": {**self._files},
            "pictures": self._pictures,
            "runs": {"runs": listed, "unreadable": []},
        }
        self._write("index.js", f"var TAPWRIGHT = {{data: {{}}, index: {_script(index)}}};\n")

    def _data(self, key: Sequence[str], value: Mapping[str, JsonValue]) -> None:
        number = len(self._files)
        self._files[json.dumps(key, ensure_ascii=False, separators=(",", ":"))] = number
        self._write(f"{number}.js", f"TAPWRIGHT.data[{number}] = {_script(dict(value))};\n")

    def _write(self, name: str, text: str) -> None:
        (self._directory / "data" / name).write_text(text, "ascii")

    def _picture(self, name: str, shot: Screenshot) -> None:
        """A picture and its thumbnail under a name that is a hash; once."""
        if name in self._pictures:
            return
        self._pictures[name] = shot.extension
        (self._directory / "pictures" / f"{name}.{shot.extension}").write_bytes(shot.data)
        (self._directory / "thumbs" / f"{name}.jpg").write_bytes(draw_thumb(shot, THUMB_PX))


def _chosen(shelf: Episodes, ids: Iterable[str]) -> list[CatalogEntry]:
    entries = {entry.id: entry for entry in shelf.catalog.read()[0]}
    chosen = []
    for id_ in ids:
        if id_ not in entries:
            shelf.store.read(id_)  # tells what is wrong with it
            raise BundleError(f"{id_}: cannot be read")
        chosen.append(entries[id_])
    return chosen


def _pictures(run: Json) -> Iterable[tuple[str, str]]:
    """For each picture of a run the key of a sample on it, and its name."""
    rows = run["rows"]
    for row in rows if isinstance(rows, list) else ():
        match row:
            case {"key": str(key), "picture": str(picture)}:
                yield key, picture


def _name(told: JsonValue) -> JsonValue:
    return told["name"] if isinstance(told, dict) else None


def _script(value: Json) -> str:
    """JSON as a script: in ASCII, where nothing ends a line or a script that should not."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
