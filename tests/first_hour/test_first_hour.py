"""The first hour of five kinds of user, as they type it and as they see it.

`*.console` beside this file: `$ ` begins what is typed, the rest is what is seen; `...` stands for
what differs from time to time, and alone for whatever a command says that succeeds. Each begins in
an empty directory and an empty home, with the wheel and nothing of the checkout but what CLONE
names. MODEL_SERVER is the address of a server whose model points at the middle of the screen.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tapwright.testing.local_server import FakeChatServer
from tests.wheel import Wheel, build_wheel, clean_environment

HERE = Path(__file__).parent
PATHS = sorted(HERE.glob("*.console"))
_TIMEOUT_S = 600
_WHERE = "\x1ewhere:"


def read_transcript(path: Path) -> list[tuple[str, str]]:
    """What is typed, and what is seen after each."""
    turns: list[tuple[str, str]] = []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("$ "):
            turns.append((line[2:], ""))
        elif line.startswith("> ") or line == ">":
            typed, seen = turns[-1]
            turns[-1] = (f"{typed}\n{line[2:]}", seen)
        elif turns and not line.startswith("#"):
            typed, seen = turns[-1]
            turns[-1] = (typed, f"{seen}{line}\n")
    return turns


def fits(seen: str, shown: str) -> bool:
    """Whether an output is what a transcript shows."""
    pattern = ".*".join(re.escape(part) for part in seen.strip().split("..."))
    return re.fullmatch(pattern, shown.strip(), re.DOTALL) is not None


def test_there_is_a_path_for_each_kind_of_user() -> None:
    assert [path.stem for path in PATHS] == [
        "agent_researcher", "contributor", "data_engineer", "model_evaluator", "team_lead",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Wheel:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
@pytest.mark.long
def test_a_first_hour_goes_as_it_is_written_down(path: Path, wheel: Wheel, tmp_path: Path) -> None:
    home, tools = tmp_path / "home", Path(sys.executable).parent
    home.mkdir()
    where = str(tmp_path / "empty")
    os.mkdir(where)
    with FakeChatServer(lambda body: "(0.5, 0.5)") as server:
        environment = {
            **clean_environment(),
            "PATH": os.pathsep.join(map(str, (wheel.programs, tools, os.environ["PATH"]))),
            "HOME": str(home),
            "COLUMNS": "80",
            "NO_COLOR": "1",
            "TAPWRIGHT_ADB": os.devnull,
            "MODEL_SERVER": server.base_url,
            "CLONE": str(HERE.parents[1]),
        }
        for typed, seen in read_transcript(path):
            run = subprocess.run(
                ["bash", "-c", f"{typed}\ncode=$?\nprintf '{_WHERE}%s' \"$PWD\"\nexit $code"],
                cwd=where,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=_TIMEOUT_S,
                check=False,
            )
            shown, _, where = run.stdout.rpartition(_WHERE)
            failed_unseen = run.returncode != 0 and seen.strip() == "..."
            if failed_unseen or not fits(seen, shown):
                pytest.fail(f"$ {typed}\n{shown}\nexpected:\n{seen}", pytrace=False)
