"""Recordings that others made, through every command that a store goes through, from the wheel.

A row is an origin, a column a command with a newcomer's defaults; `expected` says what each says,
and `pytest -rP` prints what each said.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tapwright.core.actions import Action, AskUser, Hotkey, OpenApp, PressKey, Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.devices.fake import FakeDevice
from tapwright.formats import formats
from tapwright.formats.format import EpisodeImporter
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright
from tests.origins.sources import IN_GOLDEN, MADE, make_source
from tests.wheel import Wheel, build_wheel

COMMANDS = {
    "check": "episodes check episodes",
    "stats": "episodes stats episodes --format human",
    "card": "episodes card episodes",
    "split": "episodes split episodes --by app",
    "dedupe": "episodes dedupe episodes",
    "rejudge": "episodes rejudge episodes",
    "frames": "episodes frames episodes",
    "untaught": "sft export episodes --to trl --convention json -o untaught",
    "annotate": "annotate run episodes",
    "taught": "sft export episodes --to trl --convention json --annotator rules",
    "make": "eval make episodes",
    "pack": "episodes pack episodes",
    "unpack": "episodes unpack packed -o again",
    "diff": "episodes diff episodes again",
}
NAME_APPS = {"aitw", "amex", "gui-360", "mobiagent", "multimodal-mind2web", "omniact", "osworld"}
HAVE_REASONS = {
    "agentlab", "agentnet", "aitz", "cube", "gui-360", "gui-odyssey", "inspect", "mobiagent",
    "openenv", "verifiers",
}  # fmt: skip
TELL_NO_OUTCOME = {"aitw", "atif", "mobile-env", "screenagent", "weblinx"}
LACK_PICTURES = {"agentnetbench"}
HAVE_A_DEFECT = {
    "agentlab": "its bounds count a screen of", "agentnetbench": "no picture was recorded",
    "aitw": "on the same screen", "osworld": "refused: no action of ours",
    "verifiers": "refused: no JSON object in the answer",
}  # fmt: skip
HAVE_TARGETS = {"agentlab", "amex", "omniact"}
HAVE_TREES = {"aitw", "aitz", "mobile-env", "mobiagent", "multimodal-mind2web"}
SAYS = {
    "card": "README.md", "dedupe": "duplicate a better one",
    "rejudge": "outcomes are not what the steps prove; ", "frames": "frames",
    "annotate": "steps explained", "pack": "tapwright episodes unpack packed",
    "unpack": "tapwright episodes ls again", "diff": "0 only in episodes, 0 only in again, 0 of",
}  # fmt: skip


def expected(origin: str, command: str) -> tuple[int, str]:
    """The exit code of a command on an origin's recordings, and what stands in its output."""
    match command:
        case "import":
            code = 1 if origin in LACK_PICTURES else 0
            return code, "is not in" if code else "tapwright episodes ls episodes"
        case "check":
            found = HAVE_A_DEFECT.get(origin)
            return (1, found) if found else (0, "[]")
        case "stats":
            return 0, "evidence     " if origin in TELL_NO_OUTCOME else "evidence  claimed"
        case "split" if origin not in NAME_APPS:
            return 2, "name no app"
        case "split":
            return 0, "take the tags away"
        case "untaught" | "taught" if origin in TELL_NO_OUTCOME:
            return 5, "the outcome is unknown [TW103]\n\nhint: take them all with --outcome any"
        case "untaught" | "taught" if origin in LACK_PICTURES:
            return 5, "no picture was recorded"
        case "untaught" if origin not in HAVE_REASONS:
            return 5, "hint: tapwright annotate run"
        case "untaught" | "taught":
            return 0, "are claimed; "
        case "make" if origin in HAVE_TARGETS:
            return 0, "hint: tapwright eval run l2"
        case "make":
            return 5, "screen" if origin in HAVE_TREES else "no view hierarchy was recorded"
        case _:
            return 0, SAYS[command]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Wheel:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def test_every_importer_is_a_row() -> None:
    names = [name for name, one in formats.installed() if isinstance(one, EpisodeImporter)]
    pickled_classes = {"androidworld"}  # of modules that the installed wheel's process lacks
    assert {name for name in names if ":" not in name} == {*IN_GOLDEN, *MADE, *pickled_classes}


@pytest.mark.slow
@pytest.mark.parametrize("origin", sorted([*IN_GOLDEN, *MADE]))
def test_an_imported_store_goes_through_every_command(
    origin: str, wheel: Wheel, tmp_path: Path
) -> None:
    source = make_source(origin, tmp_path / "source")
    lines: list[Sequence[str]] = [("episodes", "import", str(source))]
    lines += [line.split() for line in COMMANDS.values()]
    found = wheel.run(tmp_path, lines)
    wrong: list[str] = []
    for command, (code, said) in zip(("import", *COMMANDS), found, strict=True):
        wanted, words = expected(origin, command)
        last = said.strip().splitlines()[-1:]
        sys.stdout.write(f"{origin:20} {command:9} {code} {''.join(last)[:120]}\n")
        if code != wanted or words not in said or "Traceback" in said:
            wrong.append(f"{command}: {code}, expected {wanted} and {words!r}:\n{said}")
    assert not wrong, "\n".join(wrong)


LACKS: Mapping[str, Action] = {
    "androidworld": Hotkey(keys=("control", "c")),
    "mobiagent": PressKey(key="back"),
    "mobile-env": OpenApp(app="shop"),
    "osworld": AskUser(text="Which one?"),
}
"""An action that has no form in a format, of each that episodes are exported to with such a gap."""


@pytest.mark.slow
@pytest.mark.parametrize("name", LACKS)
def test_what_has_no_form_costs_the_other_episodes_nothing(name: str, tmp_path: Path) -> None:
    seen = FakeDevice().observe()
    tap = Step(seen, Decision(Tap(at=Point(0.5, 0.5)), "Why not."))
    lacking = Step(seen, Decision(LACKS[name], "Why not."))
    for id_, steps in {"a": (tap, lacking, tap), "b": (tap, tap), "c": (lacking, tap)}.items():
        EpisodeStore(tmp_path / "store").write(Episode(id_, id_, "Go", steps, seen, "success"))
    run = tapwright("episodes", "export", "store", "--to", name, "-o", "out", cwd=tmp_path)
    assert run.returncode == 1, run.stderr
    assert "left out: a: step 1: " in run.stderr
    assert "left out: c, step 0: " in run.stderr
    run = tapwright("episodes", "import", "out", "-o", "back", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    back = list(EpisodeStore(tmp_path / "back"))
    assert sorted(len(episode.steps) for episode in back) == [1, 2]
