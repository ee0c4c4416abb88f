"""The commands between the stages, on the device in memory and on what it recorded."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.cli.output import Format, print_rows
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import FakeDevice
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright


@pytest.fixture
def store(tmp_path: Path) -> Path:
    device = FakeDevice()
    device.reset()
    steps = []
    for _ in range(2):
        tap = Tap(at=Point(0.5, 0.4))
        steps.append(Step(device.observe(), Decision(tap, target="the blue button")))
        device.perform(tap)
    EpisodeStore(tmp_path / "store").write(
        Episode(
            id="first",
            task_id="press",
            instruction="Press two buttons",
            steps=tuple(steps),
            final=device.observe(),
            outcome="success",
            agent="hand",
            device=device.name,
        )
    )
    return tmp_path / "store"


def as_people(*words: str) -> subprocess.CompletedProcess[str]:
    """Run `tapwright` with warnings as they are by default."""
    return subprocess.run(
        [sys.executable, "-m", "tapwright", *words],
        env={**os.environ, "PYTHONWARNINGS": "default::UserWarning"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_a_store_skips_is_one_line_on_stderr(store: Path) -> None:
    shutil.copytree(store / "first", store / "second")
    (store / "second" / "episode.json").write_text("")
    run = as_people("episodes", "ls", str(store), "--format", "quiet")
    assert (run.returncode, run.stdout) == (1, "first\n")
    (line,) = run.stderr.splitlines()
    assert line.startswith(f"second: {store}/second/episode.json: not an episode's header: ")
    assert line.endswith("[TW204]")


@pytest.mark.parametrize("format_", ["json", "human"])
def test_half_an_emoji_can_be_shown(store: Path, format_: str) -> None:
    episode = EpisodeStore(store).read("first")
    half = replace(episode.steps[0].decision, reasoning="ok \ud83d")
    given = replace(episode, id="half", steps=(replace(episode.steps[0], decision=half),))
    EpisodeStore(store).write(given)
    run = tapwright("episodes", "show", str(store), "half", "--format", format_)
    assert (run.returncode, run.stderr) == (0, "")
    assert "ok " in run.stdout


NO_ADB = "/nowhere/adb"  # which would leave a server running behind the tests


def test_doctor_finds_what_the_tests_run_with() -> None:
    run = tapwright("doctor", "--format", "json", TAPWRIGHT_ADB=NO_ADB)
    assert run.returncode == 0, run.stdout
    found = {row["check"]: row["ok"] for row in json.loads(run.stdout)}
    assert found.keys() == {
        "python", "chromium", "fonts", "project", "adb", "phones", "video", "webdriver", "desktop",
    }  # fmt: skip
    assert [found[name] for name in ("python", "chromium", "fonts")] == [True, True, True]


def test_doctor_names_a_browser_that_is_not_there() -> None:
    run = tapwright("doctor", "--check", "chromium", TAPWRIGHT_CHROMIUM="/nowhere/chromium")
    assert run.returncode == 1
    assert "/nowhere/chromium" in run.stdout


@pytest.mark.slow
def test_doctor_fixes_nothing_where_nothing_is_missing() -> None:
    run = tapwright("doctor", "--fix", "--format", "quiet", TAPWRIGHT_ADB=NO_ADB)
    assert run.returncode == 0
    assert run.stderr == ""


def test_what_doctor_may_not_install_is_told_with_the_line_to_run(tmp_path: Path) -> None:
    run = tapwright("doctor", "--fix", "adb", PATH=str(tmp_path))
    assert run.returncode == 1
    assert "there is no apt-get here" in run.stderr
    assert "install what Debian calls adb [TW195]" in run.stderr


@pytest.mark.parametrize(("root", "line"), [(True, ""), (False, "sudo -n ")])
def test_doctor_installs_by_apt_as_root_or_by_sudo(
    root: bool, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    for name, script in (
        ("apt-get", f'echo "apt-get $@" >> {log}'),
        ("sudo", f'echo "sudo $@" >> {log}\nshift\nexec "$@"'),
        ("true", ""),
    ):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr("os.geteuid", lambda: 0 if root else 1000)
    run = tapwright("doctor", "--fix", "webdriver", PATH=str(tmp_path))
    assert run.returncode == 1  # still not there: this apt-get installs nothing
    assert f"{line}{tmp_path}/apt-get install" in log.read_text() or root
    assert "apt-get install -qq -y --no-install-recommends chromium-driver" in log.read_text()


def test_doctor_says_how_to_get_a_webdriver_server() -> None:
    run = tapwright("doctor", "--check", "webdriver", "--format", "json", PATH="/nowhere")
    assert run.returncode == 1
    (row,) = json.loads(run.stdout)
    assert "neither chromedriver nor Appium" in row["found"]
    assert "chromium-driver" in row["way_out"]


@pytest.mark.slow
def test_a_recordings_seed_is_the_phones(tmp_path: Path) -> None:
    def last_picture(*words: str, out: str) -> Screenshot:
        run = tapwright(
            "record", "--agent", "script", "--suite", "phone-l3", "--task", "notes_pin",
            "--device", "phone:jpeg", "-o", out, *words, cwd=tmp_path,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        (episode,) = EpisodeStore(tmp_path / out)
        return episode.steps[-1].observation.screenshot

    own = last_picture(out="own")
    assert last_picture("--seed", "0", out="zero") == own
    seventh = last_picture("--seed", "7", out="seventh")
    assert seventh != own
    assert last_picture("--seed", "7", out="again") == seventh


@pytest.mark.slow
def test_a_suites_former_name_is_told_and_plays(tmp_path: Path) -> None:
    # In a process of its own: in this one a warning is an error.
    run = subprocess.run(
        [sys.executable, "-m", "tapwright", "tasks", "ls", "--suite", "l4-zh", "--limit", "1"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "warning: the task suite 'l4-zh' is called 'phone-l4-zh' now" in run.stderr


def test_devices_are_listed_and_looked_at(tmp_path: Path) -> None:
    names = tapwright("devices", "ls", "--format", "quiet", TAPWRIGHT_ADB=NO_ADB).stdout.split()
    assert names == [
        "adb", "desktop", "fake", "miniwob", "osworld", "phone", "remote", "replay", "sites", "web",
        "webdriver",
    ]  # fmt: skip
    run = tapwright("devices", "shot", "--device", "fake", "-o", "shot", cwd=tmp_path)
    assert run.stdout.split() == ["shot.png", "shot.xml"]
    assert (tmp_path / "shot.png").read_bytes().startswith(b"\x89PNG")
    info = json.loads(tapwright("devices", "info", "--device", "fake").stdout)
    assert (info["size"], info["elements"]) == ("270x600", 2)


def test_an_unknown_device_suggests_the_nearest() -> None:
    run = tapwright("devices", "info", "--device", "phoen")
    assert run.returncode == 2
    assert "did you mean 'phone'?" in run.stderr


def test_tasks_are_listed_and_shown() -> None:
    ids = tapwright("tasks", "ls", "--format", "quiet").stdout.split()
    assert len(ids) >= 20
    shown = json.loads(tapwright("tasks", "show", ids[0]).stdout)
    assert shown["task"] == ids[0]
    assert tapwright("tasks", "show", "wifi_of").stderr.endswith("did you mean 'wifi_off'?\n")


def test_episodes_are_listed_shown_and_drawn(store: Path, tmp_path: Path) -> None:
    (row,) = json.loads(tapwright("episodes", "ls", str(store)).stdout)
    assert (row["episode"], row["steps"], row["outcome"]) == ("first", 2, "success")
    rows = json.loads(tapwright("episodes", "show", str(store), "first").stdout)
    assert [row["action"] for row in rows] == ["tap at (50 %, 40 %)"] * 2
    assert tapwright("episodes", "frames", str(store), "-o", "f", cwd=tmp_path).returncode == 0
    drawn = sorted(path.name for path in (tmp_path / "f" / "first").iterdir())
    assert drawn == ["000.jpg", "001.jpg", "final.jpg"]
    assert tapwright("episodes", "sheet", str(store), "-o", "s.jpg", cwd=tmp_path).returncode == 0
    assert (tmp_path / "s.jpg").stat().st_size > 1000


@pytest.mark.parametrize(
    "words",
    [
        ("devices", "shot", "--device", "fake", "-o", "file/x"),
        ("episodes", "frames", "store", "-o", "file"),
        ("episodes", "sheet", "store", "-o", "file/x.jpg"),
        ("eval", "make", "store", "-o", "file/x"),
        ("sft", "export", "store", "--to=llamafactory", "--convention=json", "-o", "file/x"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
@pytest.mark.usefixtures("store")
def test_a_place_that_cannot_be_written_is_an_error_and_no_traceback(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    run = tapwright(*words, cwd=tmp_path)
    assert run.returncode == 1
    assert "error: file" in run.stderr
    assert "cannot be written" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("devices", "shot", "--device", "fake", "-o", "."),
        ("episodes", "sheet", "store", "-o", "."),
        ("episodes", "frames", "store", "-o", "f", "--width", "0"),
        ("sft", "export", "store", "--to=llamafactory", "--convention=json", "--val-share=2"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
@pytest.mark.usefixtures("store")
def test_a_value_that_makes_no_sense_is_wrong_usage(words: tuple[str, ...], tmp_path: Path) -> None:
    run = tapwright(*words, cwd=tmp_path)
    assert run.returncode == 2, run.stderr
    assert "Traceback" not in run.stderr


def test_half_a_character_is_printed_as_json_spells_it(capsys: pytest.CaptureFixture[str]) -> None:
    formats: tuple[Format, ...] = ("json", "quiet", "human")
    for format_ in formats:
        print_rows([{"id": "cut \ud83d"}], format_, key="id")
    assert capsys.readouterr().out.count(r"cut \ud83d") == 3


def test_an_episode_replays_as_a_device(store: Path) -> None:
    run = tapwright("devices", "info", "--device", f"replay:{store / 'first'}")
    assert json.loads(run.stdout)["device"] == "replay first"


def test_annotations_lie_beside_the_recording_and_are_taught(store: Path, tmp_path: Path) -> None:
    recorded = (store / "first/steps.jsonl").read_bytes()
    assert tapwright("annotate", "run", str(store), "--with", "rules").returncode == 0
    assert (store / "first/steps.jsonl").read_bytes() == recorded
    (row,) = json.loads(tapwright("annotate", "status", str(store)).stdout)
    assert (row["annotator"], row["status"], row["explained"]) == ("rules", "done", 2)
    run = tapwright(
        "sft", "export", str(store), "--to", "llamafactory", "--convention", "json",
        "--annotator", "rules", "-o", "sft", cwd=tmp_path,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "dataset_info.json" in [path.name for path in (tmp_path / "sft").iterdir()]


def test_a_hosted_model_without_a_key_is_refused_and_names_the_variable(tmp_path: Path) -> None:
    run = tapwright(
        "eval", "run", "l3", "--data", "phone", "-m", "openai/gpt", "-o", "x", cwd=tmp_path,
        OPENAI_API_KEY="", TAPWRIGHT_BASE_URL="",
    )  # fmt: skip
    assert run.returncode == 4
    assert "OPENAI_API_KEY" in run.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("episodes", "ls"),
        ("episodes", "frames", "-o", "f"),
        ("annotate", "run"),
        ("annotate", "status"),
        ("sft", "export", "--to", "llamafactory", "--convention", "json"),
    ],
    ids=" ".join,
)
def test_an_empty_store_is_nothing_matched(words: tuple[str, ...], tmp_path: Path) -> None:
    run = tapwright(*words[:2], "empty", *words[2:], cwd=tmp_path)
    assert run.returncode == 5, run.stderr
    assert "no episodes" in run.stderr


@pytest.mark.parametrize(
    ("made", "hint"),
    [
        ("it/episodes", "did you mean it/episodes?"),
        ("it/of-another-tool.json", "tapwright episodes import it"),
        ("it/record.jsonl", "tapwright record --agent script -o it"),
        ("elsewhere", "tapwright record --agent script -o it"),
    ],
)
def test_what_lies_where_no_episodes_are_is_named(made: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / made).mkdir(parents=True)
    run = tapwright("eval", "make", "it", "-o", "bench", cwd=tmp_path)
    assert run.returncode == 5
    assert f"hint: {hint}\n" in run.stderr


def test_a_missing_browser_is_said_once_before_anything_is_recorded(tmp_path: Path) -> None:
    run = tapwright(
        "record",
        "--agent",
        "script",
        "-o",
        "e",
        cwd=tmp_path,
        TAPWRIGHT_CHROMIUM="/nowhere/chromium",
    )
    assert run.returncode == 3
    assert run.stderr.count("/nowhere/chromium: no such program [TW301]") == 1
    assert "hint: unset TAPWRIGHT_CHROMIUM" in run.stderr


def test_an_unknown_device_is_said_once(tmp_path: Path) -> None:
    run = tapwright("record", "--device", "phon", "-o", "e", cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr.count("did you mean 'phone'?") == 1


def test_plays_of_a_task_are_a_group_that_grows(tmp_path: Path) -> None:
    words = ("record", "--task", "contact_company", "--device", "fake", "--agent", "random")
    for plays in (2, 3):
        run = tapwright(*words, "--seed", "7", "--plays", str(plays), "-o", "e", cwd=tmp_path)
        assert f"{plays} episodes in e" in run.stdout + run.stderr
    played = {one.extra["play"]: one for one in EpisodeStore(tmp_path / "e")}
    assert sorted(played) == ["1", "2", "3"]
    assert {one.extra["group"] for one in played.values()} == {"contact_company@7"}
    made = [tuple(step.decision.action for step in one.steps) for one in played.values()]
    assert len(set(made)) == 3  # the agent's seeds differ
    assert len({one.steps[0].observation.screenshot.sha256 for one in played.values()}) == 1


def test_what_the_judge_rejects_is_not_kept_nor_played_again(tmp_path: Path) -> None:
    words = ("record", "--task", "contact_company", "--device", "fake", "--agent", "random")
    for _ in range(2):
        run = tapwright(*words, "--plays", "2", "--keep", "success", "-o", "e", cwd=tmp_path)
        assert "of 2 plays, 0 episodes in e" in run.stdout + run.stderr
    store = EpisodeStore(tmp_path / "e")
    assert store.ids() == []
    (first, second) = sorted(path.parent.name for path in (tmp_path / "e").glob("*/episode.json"))
    assert tapwright("episodes", "undo", "e", first, cwd=tmp_path).returncode == 0
    assert store.ids() == [first] != [second]


def test_what_was_recorded_to_be_kept_whole_is_not_sifted_later(tmp_path: Path) -> None:
    words = ("record", "--task", "contact_company", "--device", "fake", "--agent", "random")
    assert tapwright(*words, "-o", "e", cwd=tmp_path).returncode == 0
    run = tapwright(*words, "--keep", "success", "-o", "e", cwd=tmp_path)
    assert run.returncode
    assert "TW207" in run.stderr
    assert "keep" in run.stderr
    assert len(EpisodeStore(tmp_path / "e").ids()) == 1


def test_a_play_of_a_group_is_not_taken_for_one_by_itself(tmp_path: Path) -> None:
    words = ("record", "--task", "contact_company", "--device", "fake", "--agent", "random")
    assert tapwright(*words, "--plays", "2", "-o", "e", cwd=tmp_path).returncode == 0
    (tmp_path / "e" / "record.jsonl").unlink()  # as if killed before it was written
    assert tapwright(*words, "-o", "e", cwd=tmp_path).returncode == 0
    played = [one.extra.get("play") for one in EpisodeStore(tmp_path / "e")]
    assert sorted(map(str, played)) == ["1", "2", "None"]


def test_what_was_recorded_and_is_gone_is_recorded_again(tmp_path: Path) -> None:
    words = ("record", "--task", "contact_company", "--device", "fake", "--agent", "random")
    for _ in range(2):
        assert tapwright(*words, "-o", "e", cwd=tmp_path).returncode == 0
    (episode,) = EpisodeStore(tmp_path / "e").ids()
    shutil.rmtree(tmp_path / "e" / episode)
    assert tapwright(*words, "-o", "e", cwd=tmp_path).returncode == 0
    assert len(EpisodeStore(tmp_path / "e").ids()) == 1


def test_an_episode_that_cannot_be_read_is_told_and_leaves_the_others_unaffected(
    store: Path,
) -> None:
    episodes = EpisodeStore(store)
    episodes.write(replace(episodes.read("first"), id="second"))
    (store / "first/steps.jsonl").write_text("{bad\n")
    run = tapwright("episodes", "ls", str(store), "--format", "quiet")
    assert run.returncode == 1
    assert run.stdout.split() == ["second"]
    assert "steps.jsonl, line 1" in run.stderr
