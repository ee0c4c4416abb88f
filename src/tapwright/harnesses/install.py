"""The directory of installed suites, and how one gets there: an environment of its own.

    <home>/<name>/<digest>/   a Python environment with the suite at its commit and its packages
        complete              written last

`digest` is a hash of all that determines it, so that what is old is never taken for new.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from tapwright.files.lock import wait_for_lock
from tapwright.harnesses.errors import SUITE_INSTALL, SuiteMissingError
from tapwright.harnesses.harness import Harness, SuiteSource
from tapwright.jobs.processes import check_posix
from tapwright.sites.home import COMPLETE, last_line, remove_environment

__all__ = ["INSTALL_STEPS", "SuiteHome", "install_suite"]

INSTALL_STEPS = 4
_VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"


@dataclass(frozen=True, slots=True)
class SuiteHome:
    """The suites below one directory."""

    path: Path

    def environment(self, suite: Harness) -> Path:
        """Where the environment of a suite is, or would be."""
        given = repr((suite.repository, suite.commit, suite.requirements))
        digest = hashlib.sha256(given.encode()).hexdigest()[:16]
        return self.path / suite.name / digest

    def has(self, suite: Harness) -> bool:
        """Whether a suite is installed, at the commit of this tapwright."""
        return (self.environment(suite) / COMPLETE).is_file()

    def python(self, suite: Harness, source: SuiteSource) -> Path:
        """The Python that has a suite: the source's, or that of its environment here.

        Raises:
            SuiteMissingError: the source names none and the suite is not installed.
        """
        if source.python:
            given = shutil.which(source.python)
            if given is None:
                raise SuiteMissingError(
                    f"{suite.title}: {source.python} is no program",
                    hint="give the Python that has the suite: --suite-python PYTHON",
                )
            return Path(given).absolute()
        if not self.has(suite):
            own = f"tapwright suites install {suite.name}, or " if suite.requirements else ""
            raise SuiteMissingError(
                f"{suite.title} is not in {self.path / suite.name}",
                hint=f"{own}--suite-python with the Python that has it",
            )
        return self.environment(suite) / "bin" / "python"


def install_suite(
    suite: Harness,
    home: SuiteHome,
    advance: Callable[[int], None],
    *,
    python: str = "",
    checkout: Path | None = None,
    again: bool = False,
) -> None:
    """Install a suite where it is not yet; calls `advance` with the number of steps done.

    `python` is the interpreter of the new environment, by default this one. A suite without a
    repository is its packages. With a `checkout` the suite itself comes from there, at the commit
    that tapwright knows, and git needs no network. With `again` all is removed first.

    Raises:
        TapwrightError: it has no packages to install, or one cannot be had.
    """
    if not suite.requirements:
        raise SUITE_INSTALL(
            f"{suite.title} is installed by you", hint="then give --suite-python PYTHON"
        )
    if checkout and not suite.repository:
        raise SUITE_INSTALL(
            f"{suite.title} is installed from packages: {', '.join(suite.requirements)}",
            hint="leave --checkout out; a Python that has your checkout is for --suite-python",
        )
    check_posix(suite.title)
    environment = home.environment(suite)
    environment.parent.mkdir(parents=True, exist_ok=True)
    with (environment.parent / "lock").open("w") as lock:
        wait_for_lock(lock)
        if again and environment.exists():
            remove_environment(environment)
        if home.has(suite):
            advance(INSTALL_STEPS)
            return
        run, interpreter = partial(_run, suite, lock), python or sys.executable
        _check_version(suite, run([interpreter, "-c", _VERSION]).strip(), interpreter)
        run([interpreter, "-m", "venv", "--clear", str(environment)])
        advance(1)
        pip = [
            *(str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet"),
            "--disable-pip-version-check",
        ]
        # What builds the suite: its setup.py imports pkg_resources, which later ones lack.
        run([*pip, "setuptools<80", "wheel"])
        advance(1)
        run([*pip, *suite.requirements])
        advance(1)
        if suite.repository:
            at = checkout.absolute().as_uri() if checkout else suite.repository
            built = [*pip, "--no-deps", "--no-build-isolation"]
            run([*built, f"git+{at}@{suite.commit}"])
        (environment / COMPLETE).write_text("")
        advance(1)


def _check_version(suite: Harness, found: str, interpreter: str) -> None:
    if suite.python and found != suite.python:
        raise SUITE_INSTALL(
            f"{suite.title} has packages for Python {suite.python}; {interpreter} is {found}",
            hint=f"tapwright suites install {suite.name} --python python{suite.python}",
        )


def _run(suite: Harness, lock: IO[str], command: Sequence[str]) -> str:
    """What a command printed; it has the `lock`, too, and so it may end after a killed install."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    try:
        done = subprocess.run(
            command, capture_output=True, env=variables, check=False, pass_fds=[lock.fileno()]
        )
    except OSError as error:
        raise SUITE_INSTALL(f"{command[0]} does not run: {error.strerror}") from error
    if done.returncode:
        raise SUITE_INSTALL(
            f"{suite.title} cannot be installed: {last_line(done.stderr or done.stdout)}",
            hint="pip needs a package index and git; on Debian, also: apt-get install python3-venv",
        )
    return done.stdout.decode("utf-8", "replace")
