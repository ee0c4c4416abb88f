"""What tapwright keeps in a store, which may be a stranger's: catalogs, journals, backups."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from tapwright.annotate.rules import RuleAnnotator
from tapwright.annotate.run import write_annotations
from tapwright.core.actions import Tap
from tapwright.core.geometry import Point
from tapwright.curate.edit.journal import pending_edits
from tapwright.curate.edit.save import edit_episodes
from tapwright.errors import TapwrightError
from tapwright.formats.exporters.conversations import read_conversations
from tapwright.formats.exporters.trl_play import TRL_ROLLOUTS
from tapwright.record.commands import Act
from tapwright.record.journal import CommandBegun, Journal, JournalHeader, read_journals
from tapwright.store.catalog import Catalog
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import read_tags, write_tags
from tapwright.store.trash import list_trash
from tapwright.web.errors import BadMessageError
from tapwright.web.library.live_routes import AnswerBody, HoldBody, OrderBody
from tapwright.web.recording.messages import StrokeBuffer, parse_message
from tapwright.web.team.backup import read_backup, read_team, write_backup
from tapwright.web.team.team import Team
from tapwright.web.team.work import list_work
from tests.formats.test_trl_play import GROUP
from tests.formats.training_sets import export
from tests.hostile.reader import Reader, each_text, texts
from tests.store.episodes import episode

_MESSAGES = (
    '{"t": "hello"}', '{"t": "touch", "stroke": 1, "phase": "down", "x": 0.5, "y": 0.5}',
    '{"t": "act", "key": "k1", "action": {"type": "tap", "at": {"x": 0.5, "y": 0.4}}}',
    '{"t": "act", "key": "k2", "stroke": 1, "frame": 3, "action": {"type": "wait"}}',
    '{"t": "finish", "key": "end", "outcome": "success"}',
)  # fmt: skip
_BODIES = (
    '{"run": "", "episode": "a", "acts": true}',
    '{"run": "", "episode": "a", "key": "k", "allows": true}',
    '{"run": "", "episode": "a", "key": "k", "screen": 1, "action": {"type": "wait"}}',
)
_SELECTIONS = (
    "",
    'steps > 1 and tag("good")',
    '"x" in instruction or text("x")',
    'outcome == "success"',
)


def _whole_store(root: Path) -> None:
    """A store with all that commands leave beside recordings."""
    store = EpisodeStore(root)
    for name in ("one", "two", "three"):
        store.write(episode(2, name))
    edit_episodes(store, ["one"], "0:delete:0:1", named=["one"])
    store.remove(store.read("three"), edit="rm")
    by, two = RuleAnnotator(), store.read("two")
    said = asyncio.run(by.annotate(two))
    write_annotations(root / "two", two, said, by.name, by.version, "")
    write_tags(root / "two", add=["good"])
    Catalog(store).ids(Selection())
    header = JournalHeader(
        episode="four", owner="anna", place="fake", instruction="Go", created="2026-01-01T00:00:00Z"
    )
    journal = Journal.create(root, header)
    tap = Act(key="k", action=Tap(at=Point(0.5, 0.5)))
    journal.add_begun(CommandBegun(command=tap, steps=0, undone=0))
    journal.close()


def _read_whole_store(root: Path, out: Path) -> None:
    store = EpisodeStore(root)
    for where in _SELECTIONS:
        _try(partial(Catalog(store).select, Selection(where)))
    _try(partial(pending_edits, root))
    _try(partial(read_journals, root))
    _try(partial(list_trash, root))
    _try(partial(list_work, store))
    for name in ("one", "two"):
        _try(partial(read_tags, root / name))
        _try(partial(store.history, name))
    journal = next((path for path in root.glob(".*") if "four" in path.name), None)
    if journal is not None:
        _try(lambda: Journal(journal).close())


def _try(read: Callable[[], object]) -> None:
    try:
        read()
    except TapwrightError:
        return


def _backup(root: Path) -> None:
    team = Team(f"sqlite:///{root / 'team.db'}")
    team.accounts.add("anna", "admin")
    write_backup(read_team(team.database), root / "team.jsonl")
    team.close()
    for path in root.glob("team.db*"):
        path.unlink()


def _set(root: Path) -> None:
    export(TRL_ROLLOUTS, GROUP, root / "set")


def _read_set(root: Path, out: Path) -> None:
    _try(lambda: TRL_ROLLOUTS.check(root / "set"))
    list(read_conversations("trl-rollouts", root / "set"))


def _message(text: str) -> None:
    try:
        parse_message(text, StrokeBuffer())
    except BadMessageError:
        return


def _body(text: str) -> None:
    for kind in (HoldBody, OrderBody, AnswerBody):
        try:
            kind.model_validate_json(text)
        except ValidationError:
            continue


KEPT: Mapping[str, Reader] = {
    "whole store": Reader(_whole_store, _read_whole_store),
    "backup": Reader(_backup, lambda root, out: read_backup(root / "team.jsonl")),
    "rollout set": Reader(_set, _read_set),
    "messages": Reader(texts(*_MESSAGES), each_text(_message)),
    "orders": Reader(texts(*_BODIES), each_text(_body)),
}
