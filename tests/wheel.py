"""The product as people install it: the wheel, built and in an environment of its own.

Its packages are those of the tests' environment, found behind the wheel's own copy.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
_DRIVER = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from traceback import print_exc
from tapwright.cli.main import main

rows = []
for words in json.load(sys.stdin):
    said, code, sys.argv = io.StringIO(), None, ["tapwright", *words]
    with redirect_stdout(said), redirect_stderr(said):
        try:
            main()
        except SystemExit as end:
            code = end.code
        except BaseException:
            print_exc()
    rows.append([code, said.getvalue()])
json.dump(rows, sys.stdout)
"""


@dataclass(frozen=True)
class Wheel:
    """An environment with the wheel in it; `programs` is where its commands lie."""

    programs: Path

    def run(self, cwd: Path, commands: Sequence[Sequence[str]]) -> list[tuple[int, str]]:
        """What commands said, and their exit codes, one after another in one process."""
        run = subprocess.run(
            [self.programs / "python", "-c", _DRIVER],
            cwd=cwd,
            env=clean_environment() | {"NO_COLOR": "1", "COLUMNS": "200"},
            input=json.dumps(commands),
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        )
        return [(int(code), said) for code, said in json.loads(run.stdout)]


def build_wheel(folder: Path) -> Wheel:
    """Build the wheel, and install it alone into an environment below `folder`."""
    python = sys.executable

    def do(*words: str | Path) -> None:
        subprocess.run(words, cwd=ROOT, check=True, capture_output=True, timeout=600)

    do(python, "-m", "hatchling", "build", "-t", "wheel", "-d", folder / "dist")
    do(python, "-m", "venv", "--without-pip", folder / "env")
    programs = folder / "env" / "bin"
    (wheel,) = (folder / "dist").glob("*.whl")
    pip = ("-m", "pip", "--python", programs / "python", "--disable-pip-version-check")
    do(python, *pip, "install", "--no-deps", "--no-index", "--no-compile", wheel)
    (own,) = (folder / "env" / "lib").glob("python*/site-packages")
    others = [one for one in sys.path if one.endswith("site-packages")]
    (own / "behind.pth").write_text("\n".join(others) + "\n")
    found = subprocess.run(
        [programs / "python", "-c", "import tapwright; print(tapwright.__file__)"],
        cwd=folder, env=clean_environment(), check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert Path(found.stdout.strip()).is_relative_to(own)
    return Wheel(programs)


def clean_environment() -> dict[str, str]:
    """The environment, without what would lead to the checkout."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
