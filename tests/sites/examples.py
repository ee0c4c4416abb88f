"""A site of a few lines, which this Python runs: for what all sites have in common."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tapwright.core.language import Language
from tapwright.sites.home import SiteHome
from tapwright.sites.site import Site

PROGRAM = """
import json, os, sqlite3, sys, time
from contextlib import closing
sys.path.insert(0, {programs!r})
from serving import run

class Notes:
    database, folders = "notes.db", ("files",)

    def build(self, folder, content):
        if content["notes"] == ["no"]:
            raise ValueError("it wants no note")
        with closing(sqlite3.connect(folder / self.database)) as database, database:
            database.execute("CREATE TABLE note (text TEXT, tags TEXT)")
            for text in content["notes"]:
                database.execute("INSERT INTO note VALUES (?, '[]')", (text,))
        (folder / "files").mkdir()
        (folder / "files/first.txt").write_text("first")

    def open(self, folder):
        self.path = folder / self.database
        self.files = folder / "files"
        return self.answer

    def take_over(self, content):
        self.locale = content["locale"]

    def prepare(self, environ, content):
        environ["REMOTE_USER"] = content["user"]

    def answer(self, environ, start_response):
        text = environ.get("QUERY_STRING", "")
        if text == "end":
            os._exit(3)
        if text:
            with closing(sqlite3.connect(self.path)) as database, database:
                database.execute("INSERT INTO note VALUES (?, NULL)", (text,))
            (self.files / text).write_text(text)
        start_response("200 OK", [("Content-Type", "application/json")])
        said = {{"user": environ["REMOTE_USER"], "locale": self.locale, "now": time.time(),
                "files": sorted(os.listdir(self.files)),
                "first": (self.files / "first.txt").read_text()}}
        yield json.dumps(said).encode()

run(Notes)
"""


@dataclass(frozen=True, slots=True)
class ExampleSite(Site):
    """A site whose program and lock lie in `folder`."""

    folder: Path = Path()

    @property
    def program(self) -> Path:
        return self.folder / "notes_site.py"

    @property
    def lock(self) -> Path:
        return self.folder / "notes.txt"


def make_content(seed: int, language: Language) -> dict[str, Any]:
    return {"notes": ["no"] if seed == 13 else [f"{language} {seed}", "second"]}


def write_site(folder: Path) -> ExampleSite:
    """The site, with nothing to install."""
    programs = Path(__file__).parents[2] / "src/tapwright/sites/programs"
    site = ExampleSite(
        name="notes",
        title="Notes",
        kind="notes",
        version="1",
        licence="Apache-2.0",
        home="",
        database="notes.db",
        user="maya",
        account="maya",
        tables={
            "notes": 'SELECT text, tags AS "tags[]" FROM note ORDER BY rowid',
            "count": "SELECT count(*) AS notes FROM note",
        },
        content=make_content,
        locales={"en": "en-GB", "zh": "zh-CN"},
        folder=folder,
    )
    folder.mkdir(parents=True, exist_ok=True)
    site.program.write_text(PROGRAM.format(programs=str(programs)), "utf-8")
    site.lock.write_text("# nothing\n", "utf-8")
    return site


def install_site(site: Site, home: SiteHome) -> None:
    """Let the site's Python be the one that runs the tests."""
    folder = home.environment(site) / "bin"
    folder.mkdir(parents=True)
    (folder / "python").symlink_to(sys.executable)
    home.mark_complete(site)
