"""Packs and training sets pushed to a hub on this machine, which refuses what the real one does."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tapwright.core.actions import Finish, Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.datasets.push import list_local_files
from tapwright.devices.fake import FakeDevice
from tapwright.errors import UsageError
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright
from tests.datasets.servers import LARGE, Fault, Public, serve

NAME = "lab/phone"
# huggingface_hub sends a file as `data`, of which httpx2 disapproves.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch) -> Iterator[Public]:
    # The library reads the variable of that name once; the servers do not speak Xet.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    with serve(Public()) as found:
        yield found


@pytest.fixture
def store(tmp_path: Path) -> Path:
    device = FakeDevice()
    device.reset()
    actions = Tap(at=Point(0.5, 0.4)), Finish()
    steps = [Step(device.observe(), Decision(action, "It is time")) for action in actions]
    EpisodeStore(tmp_path / "store").write(
        Episode("first", "press", "Press", tuple(steps), device.observe(), "success", "hand")
    )
    return tmp_path / "store"


def command(
    public: Public, *words: str | Path, token: str = "writer"
) -> subprocess.CompletedProcess[str]:
    return tapwright(*map(str, words), HF_ENDPOINT=public.hub, HF_TOKEN=token)


def files(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and path.name != "pack.jsonl"
    }


def test_a_pack_is_pushed_with_its_card_and_without_its_ledger(
    public: Public, store: Path, tmp_path: Path
) -> None:
    out = tmp_path / "pack"
    run = command(public, "episodes", "pack", store, "-o", out, "--push-to", NAME)
    assert run.returncode == 0, run.stderr
    assert f"pushed to {public.hub}/datasets/{NAME}" in run.stderr
    assert public.files[NAME] == files(out)
    assert public.private == {NAME}
    assert any(len(data) > LARGE for data in public.files[NAME].values())


@pytest.mark.slow
def test_what_the_hub_has_is_not_sent_again_and_what_is_gone_is_deleted(
    public: Public, store: Path, tmp_path: Path
) -> None:
    out = tmp_path / "pack"
    assert command(public, "episodes", "pack", store, "-o", out).returncode == 0
    assert command(public, "data", "push", out, NAME, "--public").returncode == 0
    assert not public.private
    sent = len(public.uploads)
    public.uploads.clear()
    public.files[NAME] |= {"steps/00007.parquet": b"old", "notes.txt": b"of a person"}
    run = command(public, "data", "push", out, NAME)
    assert run.returncode == 0, run.stderr
    assert sent
    assert not public.uploads
    assert public.files[NAME] == files(out) | {"notes.txt": b"of a person"}


@pytest.mark.slow
def test_a_push_that_was_refused_midway_goes_on(
    public: Public, store: Path, tmp_path: Path
) -> None:
    out = tmp_path / "pack"
    assert command(public, "episodes", "pack", store, "-o", out).returncode == 0
    public.faults["/commit/main"] = [Fault(status=400)]
    run = command(public, "data", "push", out, NAME)
    assert run.returncode == 1
    assert "TW846" in run.stderr
    assert f"tapwright data push {out} {NAME}" in run.stderr
    assert public.files[NAME] == {}
    uploads = [one for one in public.requests if "/upload/" in one.path]
    assert uploads
    run = command(public, "data", "push", out, NAME)
    assert run.returncode == 0, run.stderr
    assert [one for one in public.requests if "/upload/" in one.path] == uploads
    assert public.files[NAME] == files(out)


def test_a_training_set_gets_a_card_of_what_it_holds(
    public: Public, store: Path, tmp_path: Path
) -> None:
    run = command(
        public, "sft", "export", store, "--to", "llamafactory", "--convention", "json",
        "-o", tmp_path / "sft", "--push-to", NAME,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    card = public.files[NAME].pop("README.md").decode()
    assert "format `llamafactory`" in card
    assert "| train samples | 2 |" in card
    assert public.files[NAME] == files(tmp_path / "sft")


@pytest.mark.parametrize("token", ["", "reader"])
def test_a_token_that_may_not_write_is_told_the_way_out(
    public: Public, tmp_path: Path, token: str
) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "a.txt").write_text("a")
    run = command(public, "data", "push", tmp_path / "set", NAME, token=token)
    assert run.returncode == 1
    assert "HF_TOKEN" in run.stderr
    assert not token or token not in run.stderr
    assert not public.files


def test_what_cannot_be_pushed_is_told(public: Public, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for directory, name, code, told in (
        ("empty", NAME, 5, "no files to push"),
        ("none", NAME, 5, "no such directory"),
    ):
        run = command(public, "data", "push", tmp_path / directory, name)
        assert (run.returncode, told in run.stderr) == (code, True), run.stderr
    (tmp_path / "empty" / "a.txt").write_text("a")
    run = command(public, "data", "push", tmp_path / "empty", "a/b/c")
    assert run.returncode == 2, run.stderr
    assert "OWNER/NAME" in run.stderr


def test_a_push_takes_no_hidden_file_and_nothing_through_a_link_out(tmp_path: Path) -> None:
    (tmp_path / "out/.git/objects/ab").mkdir(parents=True)
    (tmp_path / "out/.git/objects/ab/cd").write_text("hidden")
    (tmp_path / "out/rows.jsonl").write_text("{}")
    assert list_local_files(tmp_path / "out") == ["rows.jsonl"]
    (tmp_path / "secret").write_text("mine")
    (tmp_path / "out/more.jsonl").symlink_to(tmp_path / "secret")
    with pytest.raises(UsageError, match="leads out of the directory"):
        list_local_files(tmp_path / "out")
