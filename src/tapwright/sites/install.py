"""Installs a site: a Python environment of its own, and the packages of its lock, by hash."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tapwright.files.lock import wait_for_lock
from tapwright.jobs.processes import check_posix
from tapwright.sites.errors import SITE_INSTALL
from tapwright.sites.home import SiteHome, last_line
from tapwright.sites.site import Site

__all__ = ["install", "read_requirements"]

_AT_ONCE = 8
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
                    shutil.rmtree(made)
        requirements = read_requirements(site.lock)
        if home.has(site):
            advance(len(requirements))
            return
        python = environment / "bin" / "python"
        if not python.exists():
            _run(site, [sys.executable, "-m", "venv", "--clear", str(environment)])
        builders = [line for line in requirements if line.startswith(_BUILDERS)]
        rest = requirements[len(builders) :]
        for batch in (
            builders,
            *(rest[start : start + _AT_ONCE] for start in range(0, len(rest), _AT_ONCE)),
        ):
            _install_batch(site, python, batch)
            advance(len(batch))
        home.mark_complete(site)


def _install_batch(site: Site, python: Path, batch: Sequence[str]) -> None:
    with TemporaryDirectory() as folder:
        asked = Path(folder, "requirements.txt")
        asked.write_text("\n".join(batch), "utf-8")
        _run(
            site,
            [
                *(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
                *("--no-deps", "--require-hashes", "--no-build-isolation", "-r", str(asked)),
            ],
        )


def _run(site: Site, command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise SITE_INSTALL(
            f"{site.title} cannot be installed: {last_line(done.stderr or done.stdout)}",
            hint=f"pip needs a package index; on Debian, also: apt-get install python3-venv; "
            f"then tapwright sites install {site.name}",
        )
