"""A site that runs: a process of its own, its address, its reset and its state."""

import json
import sqlite3
import subprocess
import weakref
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from select import select
from threading import Lock
from typing import IO

from pydantic import JsonValue

from tapwright.core.language import Language
from tapwright.files.closing import Closing
from tapwright.files.temporary import OwnedDirectory
from tapwright.sites.errors import SiteLostError
from tapwright.sites.home import SiteHome, last_line, site_environment
from tapwright.sites.site import Site

__all__ = ["RunningSite"]


class RunningSite(Closing):
    """A site on a port of 127.0.0.1, filled from a seed in a language.

    It works in a folder of its own and ends when closed, when garbage collected, and when this
    process ends, in whatever way. Its clock starts anew at each reset. Calls may come from several
    threads; each ends within `timeout_s`.

    Raises:
        DeviceError: the site is not installed.
        SiteLostError: it does not start; another program may have the `port`.
    """

    def __init__(
        self,
        site: Site,
        home: SiteHome,
        *,
        port: int = 0,
        seed: int = 0,
        language: Language = "en",
        timeout_s: float = 60.0,
    ) -> None:
        self.site = site
        self.timeout_s = timeout_s
        self._home = home
        self._calling = Lock()
        python, template = home.python(site), home.template(site, seed, language)
        owned = OwnedDirectory(f"tapwright-{site.name}-")
        folder = owned.path / "files"
        folder.mkdir()
        self._database = folder / site.database
        self._stderr = folder / ".stderr.txt"
        with self._stderr.open("wb") as stderr:
            self._process = subprocess.Popen(
                [str(python), "-s", "-B", str(site.program), "serve", str(folder), str(port)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=site_environment(),
                cwd=folder,
                start_new_session=True,  # Ctrl+C is for us, who end it
            )
        self._finalizer = weakref.finalize(self, _end, self._process, owned)
        try:
            self.port = self._take_over(template)
        except SiteLostError:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._process.pid

    @property
    def address(self) -> str:
        """Where its first page is: "http://127.0.0.1:41234/"."""
        return f"http://127.0.0.1:{self.port}/"

    def reset(self, *, seed: int = 0, language: Language = "en") -> None:
        """Put back the content of a seed and a language; a new one is made first, in seconds.

        A browser should forget the site's cookies then.

        Raises:
            SiteLostError: the site has ended or does not answer.
        """
        self._take_over(self._home.template(self.site, seed, language))

    def state(self, path: str) -> JsonValue:
        """The rows of a table as objects ("tickets"), or all tables by name for ""; else None.

        Raises:
            SiteLostError: its database cannot be read.
        """
        tables = self.site.tables
        if path and path not in tables:
            return None
        try:
            with closing(
                sqlite3.connect(f"file:{self._database}?mode=ro", uri=True, timeout=self.timeout_s)
            ) as database:
                database.row_factory = sqlite3.Row
                if path:
                    return _read_rows(database, tables[path])
                return {name: _read_rows(database, query) for name, query in tables.items()}
        except sqlite3.Error as error:
            raise SiteLostError(
                f"the state of {self.site.title} cannot be read: {error}", hint="start it again"
            ) from error

    def close(self) -> None:
        """End it and remove its folder; more than once is allowed."""
        self._finalizer()

    def _take_over(self, template: Path) -> int:
        """Let the site take over a template; returns its port."""
        with self._calling:
            requests, answers = self._process.stdin, self._process.stdout
            assert requests is not None
            assert answers is not None
            try:
                requests.write(json.dumps({"template": str(template)}).encode() + b"\n")
                requests.flush()
                answer = self._read(answers)
            except (OSError, ValueError) as error:  # its pipe is closed, or ours
                raise self._lost("has ended") from error
        if "error" in answer:
            raise SiteLostError(
                f"{self.site.title} cannot take over {template}: {answer['error']}",
                hint="another program may have the port: choose another, or 0 for any"
                if "Errno" in str(answer["error"])
                else f"tapwright sites install {self.site.name} --again",
            )
        return int(answer["port"])

    def _read(self, answers: IO[bytes]) -> Mapping[str, int]:
        if not select([answers], [], [], self.timeout_s)[0]:
            raise self._lost(f"did not answer within {self.timeout_s:g} s")
        line = answers.readline()
        if not line:
            raise self._lost("has ended")
        answer: dict[str, int] = json.loads(line)
        return answer

    def _lost(self, what: str) -> SiteLostError:
        said = ""
        with suppress(OSError):
            said = f": {last_line(self._stderr.read_bytes())}"
        return SiteLostError(
            f"{self.site.title} {what}{said}", hint=f"tapwright sites start {self.site.name}"
        )


def _end(process: "subprocess.Popen[bytes]", owned: OwnedDirectory) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    process.kill()
    process.wait()
    owned.remove()


def _read_rows(database: sqlite3.Connection, query: str) -> list[JsonValue]:
    return [
        {
            name.removesuffix("[]"): _read_value(name, row[name])
            for name in row.keys()  # noqa: SIM118 - a row iterates over its values
        }
        for row in database.execute(query)
    ]


def _read_value(name: str, value: str | float | None) -> JsonValue:
    """The value of a column; where a site keeps nothing it may be NULL or "", which is "" here."""
    if isinstance(value, str) and name.endswith("[]"):
        array: JsonValue = json.loads(value)
        return array
    return "" if value is None else value
