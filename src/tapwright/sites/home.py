"""The directory of installed sites: packages, and the templates that a reset copies.

    <home>/<name>/<lock>/           a Python environment with the packages of one lock
        complete                    written last
    <home>/<name>/templates/<key>/  a site that was built and filled: database, folders, content

`lock` and `key` are hashes of all that determines them, so that what is old is never taken for new.
"""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISLNK
from tempfile import TemporaryDirectory

from tapwright.core.language import Language
from tapwright.files.lock import wait_for_lock
from tapwright.sites.errors import SITE_MISSING, SiteLostError
from tapwright.sites.site import Site, moment

__all__ = ["COMPLETE", "SiteHome", "last_line", "remove_environment", "site_environment"]

COMPLETE = "complete"
_BUILD_S = 300.0


@dataclass(frozen=True, slots=True)
class SiteHome:
    """The sites below one directory."""

    path: Path

    def environment(self, site: Site) -> Path:
        """Where a site's packages are, or would be."""
        digest = hashlib.sha256(site.lock.read_bytes()).hexdigest()[:16]
        return self.path / site.name / digest

    def python(self, site: Site) -> Path:
        """The Python that runs a site.

        Raises:
            DeviceError: it is not installed; the hint is the command that does it.
        """
        if not self.has(site):
            raise SITE_MISSING(
                f"{site.title} is not in {self.path / site.name}",
                hint=f"tapwright sites install {site.name}",
            )
        return self.environment(site) / "bin" / "python"

    def has(self, site: Site) -> bool:
        """Whether a site is installed, at the version of this tapwright."""
        return (self.environment(site) / COMPLETE).is_file()

    def mark_complete(self, site: Site) -> None:
        """Say that all packages of a site are there, and remove those of older locks."""
        kept = self.environment(site)
        (kept / COMPLETE).write_text("")
        for other in kept.parent.iterdir():
            if other not in (kept, self._templates(site)) and other.is_dir():
                with suppress(OSError):
                    remove_environment(other)

    def size(self, site: Site) -> int:
        """The bytes of a site and its templates on the disk."""
        return sum(_sizes(self.path / site.name))

    def template(self, site: Site, seed: int, language: Language) -> Path:
        """A site filled from a seed in a language; made the first time, which takes seconds.

        Raises:
            DeviceError: the site is not installed.
            SiteLostError: it cannot be filled.
        """
        content = {
            **site.content(seed, language),
            "now": moment(0),
            "user": site.user,
            "locale": site.locales[language],
        }
        given = json.dumps(content, ensure_ascii=False, sort_keys=True).encode()
        digest = hashlib.sha256(self.environment(site).name.encode())
        for program in sorted(site.program.parent.glob("*.py")):
            if program == site.program or not program.stem.endswith("_site"):
                digest.update(program.read_bytes())
        digest.update(given)
        folder = self._templates(site) / f"{language}-{seed}-{digest.hexdigest()[:16]}"
        if folder.is_dir():
            return folder
        python = self.python(site)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with (folder.parent / "lock").open("w") as lock:
            wait_for_lock(lock)
            if not folder.is_dir():
                with TemporaryDirectory(dir=folder.parent, prefix=".") as made:
                    begun = Path(made, "site")
                    begun.mkdir()
                    _build(python, site, begun, given)
                    begun.rename(folder)
        return folder

    def _templates(self, site: Site) -> Path:
        return self.path / site.name / "templates"


def site_environment() -> dict[str, str]:
    """The environment of a site's process: none of our keys, and the same on every machine."""
    passed = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {**passed, "TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"}


def _build(python: Path, site: Site, folder: Path, content: bytes) -> None:
    command = [str(python), "-s", "-B", str(site.program), "build", str(folder)]
    try:
        done = subprocess.run(
            command,
            input=content,
            capture_output=True,
            env=site_environment(),
            cwd=folder,
            timeout=_BUILD_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise SiteLostError(
            f"{site.title} was not filled within {_BUILD_S:g} s", hint="try again"
        ) from error
    if done.returncode:
        raise SiteLostError(
            f"{site.title} cannot be filled: {last_line(done.stderr)}",
            hint=f"tapwright sites install {site.name} --again",
        )


def remove_environment(path: Path) -> None:
    """Remove what was installed; however that ends, the rest is not taken for the whole."""
    (path / COMPLETE).unlink(missing_ok=True)
    shutil.rmtree(path)


def last_line(output: bytes) -> str:
    """The last line of what a program printed, which names its failure."""
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:300] if lines else "it printed nothing"


def _sizes(folder: Path) -> Iterator[int]:
    for root, _, names in os.walk(folder):
        for name in names:
            # Thousands of files: a path of each takes most of the time.
            found = os.lstat(f"{root}/{name}")
            if not S_ISLNK(found.st_mode):
                yield found.st_size
