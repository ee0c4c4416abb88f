"""What somebody planted in the store that one records into: nothing outside is written or lost."""

import os
import shutil
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.annotate.comments import StepComment, write_comment
from tapwright.annotate.review import Review, write_review
from tapwright.cli import serve
from tapwright.core.actions import Finish
from tapwright.core.episode import Decision
from tapwright.curate.edit.journal import open_journal
from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.environment.seat import Seat
from tapwright.errors import TapwrightError
from tapwright.faces.session import Session, make_free_task
from tapwright.record.commands import FinishDemonstration
from tapwright.store.annotations import replace_annotations
from tapwright.store.catalog import Catalog
from tapwright.store.records import EpisodeWarning
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import write_tags
from tapwright.web.library.bulk_ledger import BulkLedger
from tests.hostile.test_links import content
from tests.record.demos import TAP, act, begun
from tests.store.episodes import episode

PRECIOUS = b"export PATH=/bin\nand a last line without an end"
OLD_S = 1e9


def played(store: EpisodeStore) -> None:
    """What `mcp --record` and `env serve --record` write."""
    with Session(FakeDevice(EndlessScenes()), agent="mine", store=store) as session:
        session.reset(make_free_task("Look around"))
        session.act(Decision(TAP))
        session.act(Decision(Finish()))


def demonstrated(store: EpisodeStore) -> None:
    """What `record` in the browser writes."""
    demonstration = begun(store.root)
    try:
        demonstration.do(act(demonstration, "k1"))
        demonstration.do(FinishDemonstration(key="end", outcome="success"))
    finally:
        demonstration.close()


def watched(store: EpisodeStore) -> None:
    """What `record --agent` and `rollouts run` keep beside an attempt."""
    with Seat(store.root, episode(1, "new"), 9):
        pass


def edited(store: EpisodeStore) -> None:
    before = store.read("one")
    with open_journal(store.root, "0:delete", ("one",)) as journal:
        journal.end(journal.begin(["one"], []), {})
    store.save(before, replace(before, steps=before.steps[1:]), edit="0:delete")


def annotated(store: EpisodeStore) -> None:
    replace_annotations(store.root / "one", "rules", [])


def reviewed(store: EpisodeStore) -> None:
    write_review(
        store.root / "one", "rules", Review(step=0, frame="", state="accept", who="a", time="")
    )


def commented(store: EpisodeStore) -> None:
    write_comment(
        store.root / "one", "rules", StepComment(step=0, frame="", text="x", who="a", time="")
    )


def tagged(store: EpisodeStore) -> None:
    write_tags(store.root / "one", add=["x"])


def listed(store: EpisodeStore) -> None:
    Catalog(store).read()


def changed_many(store: EpisodeStore) -> None:
    BulkLedger(store.root).begin("new", "tag", "tag x", "ann", ["one"])


def resumed(store: EpisodeStore) -> None:
    with store.resume("open") as writer:
        writer.append(episode(1).steps[0])


Way = Callable[[EpisodeStore], None]
FOLDERS: Sequence[tuple[str, Way]] = (
    (".recording", demonstrated), (".live", watched), (".edits", edited), (".bulk", changed_many),
    (".catalog", listed), (".catalog", played), ("one/annotations", annotated),
    ("one/annotations", reviewed), ("one/annotations", commented), ("one/versions", edited),
    ("open/frames", resumed), ("open/ui", resumed),
)  # fmt: skip
FILES: Sequence[tuple[str, Way]] = (
    ("open/steps.jsonl", resumed), ("one/tags.jsonl", tagged), (".catalog/changes.log", tagged),
    (".catalog/changes.log", listed), ("one/annotations/rules.comments.jsonl", commented),
    ("one/annotations/rules.reviews.jsonl", reviewed),
)  # fmt: skip


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A person's folder, with old folders and many files in it."""
    home = tmp_path / "outside"
    for name in ("photos", "work"):
        (home / name).mkdir(parents=True)
        (home / name / "kept").write_bytes(PRECIOUS)
    for number in range(210):
        (home / f"{number}.jsonl").write_bytes(PRECIOUS)
    (home / "there").write_bytes(PRECIOUS)
    for one in home.rglob("*"):
        os.utime(one, (OLD_S, OLD_S))
    return home


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    made = EpisodeStore(tmp_path / "store")
    made.write(episode(3, "one"))
    with made.create(task_id="t", instruction="i", agent="a", device="d", id="open"):
        pass
    Catalog(made).read()
    return made


def used(way: Way, store: EpisodeStore) -> None:
    """Whole, or refused in words."""
    with suppress(TapwrightError, EpisodeWarning):
        way(store)


@pytest.mark.parametrize(("place", "way"), FOLDERS)
def test_nothing_is_written_or_removed_through_a_link_of_a_folder(
    outside: Path, store: EpisodeStore, place: str, way: Way
) -> None:
    shutil.rmtree(store.root / place, ignore_errors=True)
    (store.root / place).symlink_to(outside)
    before = content(outside)
    used(way, store)
    assert content(outside) == before


@pytest.mark.parametrize("kind", ["link", "hard link", "named pipe", "link to nothing"])
@pytest.mark.parametrize(("place", "way"), FILES)
def test_nothing_is_added_to_a_file_under_another_name(
    outside: Path, store: EpisodeStore, place: str, kind: str, way: Way
) -> None:
    path = store.root / place
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    match kind:
        case "link":
            path.symlink_to(outside / "there")
        case "hard link":
            os.link(outside / "there", path)
        case "named pipe":
            os.mkfifo(path)
        case _:
            path.symlink_to(outside / "new")
    before = content(outside)
    used(way, store)
    assert content(outside) == before


def test_on_windows_whose_bits_say_nothing_the_token_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("click.get_app_dir", lambda _: str(tmp_path))
    kept = serve._own_token()
    (tmp_path / "token").chmod(0o666)
    monkeypatch.delattr(os, "geteuid")
    assert serve._own_token() == kept


@pytest.mark.parametrize("planted", ["read by others", "of another", "a link", "a hard link"])
def test_a_token_that_others_know_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planted: str
) -> None:
    monkeypatch.setattr("click.get_app_dir", lambda _: str(tmp_path / "config"))
    kept = serve._own_token()
    assert serve._own_token() == kept
    file, known = tmp_path / "config/token", tmp_path / "known"
    known.write_text("an attacker's token, long enough")
    known.chmod(0o600)
    file.unlink()
    match planted:
        case "a link":
            file.symlink_to(known)
        case "a hard link":
            os.link(known, file)
        case "read by others":
            shutil.copy(known, file)
            file.chmod(stat.S_IRUSR | stat.S_IRGRP)
        case _:
            if os.geteuid() != 0:
                pytest.skip("only root can be another user")
            shutil.copy(known, file)
            file.chmod(0o600)
            os.chown(file, 65534, 65534)
    assert serve._own_token() != known.read_text()
