"""Installs a site: a Python environment of its own, and the packages of its lock, by hash."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from tapwright.files.lock import wait_for_lock
from tapwright.jobs.processes import check_posix
from tapwright.sites.errors import SITE_INSTALL
from tapwright.sites.home import SiteHome, last_line, remove_environment
from tapwright.sites.site import Site

__all__ = ["install", "read_requirements"]

_AT_ONCE = 8
_DONE = "batches"  # a mark for each that is whole
_BUILDERS = ("packaging==", "setuptools==", "setuptools-scm==")


def read_requirements(lock: Path) -> list[str]:
    """The packages of a lock with their hashes, as pip reads them; what builds others is first."""
    text = lock.read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return sorted(lines, key=lambda line: not line.startswith(_BUILDERS))


def install(
    site: Site, home: SiteHome, advance: Callable[[int], None], *, again: bool = False
) -> None:
    """Install a site where it is not yet; calls `advance` with the number of packages done.

    What an interrupted call left is continued. With `again` all is removed first.

    Raises:
        TapwrightError: a package cannot be had, or its hash is another.
    """
    check_posix(site.title)
    environment = home.environment(site)
    environment.parent.mkdir(parents=True, exist_ok=True)
    with (environment.parent / "lock").open("w") as lock:
        wait_for_lock(lock)
        if again:
            for made in environment.parent.iterdir():
                if made.is_dir():
                    remove_environment(made)
        requirements = read_requirements(site.lock)
        if home.has(site):
            advance(len(requirements))
            return
        done = environment / _DONE
        if not (done.exists() and done.stat().st_size):
            _run(site, lock, [sys.executable, "-m", "venv", "--clear", str(environment)])
            done.touch()
        builders = [line for line in requirements if line.startswith(_BUILDERS)]
        rest = requirements[len(builders) :]
        batches = [rest[start : start + _AT_ONCE] for start in range(0, len(rest), _AT_ONCE)]
        before = done.stat().st_size
        for number, batch in enumerate((builders, *batches)):
            if number >= before:
                # Of the one that was interrupted a package may look installed that is not whole.
                how = ["--ignore-installed"] if number and number == before else []
                _install_batch(site, lock, environment / "bin" / "python", batch, how)
                with done.open("a") as marks:
                    marks.write(".")
            advance(len(batch))
        home.mark_complete(site)


def _install_batch(
    site: Site, lock: IO[str], python: Path, batch: Sequence[str], how: Sequence[str]
) -> None:
    with TemporaryDirectory() as folder:
        asked = Path(folder, "requirements.txt")
        asked.write_text("\n".join(batch), "utf-8")
        _run(
            site,
            lock,
            [
                *(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
                *("--no-deps", "--require-hashes", "--no-build-isolation", *how),
                *("-r", str(asked)),
            ],
        )


def _run(site: Site, lock: IO[str], command: Sequence[str]) -> None:
    """Run a command, which has the `lock`, too, and so may end after an install that was killed."""
    done = subprocess.run(command, capture_output=True, check=False, pass_fds=[lock.fileno()])
    if done.returncode:
        raise SITE_INSTALL(
            f"{site.title} cannot be installed: {last_line(done.stderr or done.stdout)}",
            hint=f"pip needs a package index; on Debian, also: apt-get install python3-venv; "
            f"then tapwright sites install {site.name}",
        )
