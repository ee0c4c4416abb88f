"""Texts of strangers in every field that is shown: none is run, none reads as another."""

import csv
import io
import json
import re
import tomllib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner
from pydantic import JsonValue

from tapwright.cli.main import cli
from tapwright.core.actions import Tap, TypeText
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point
from tapwright.errors import TapwrightError, UsageError
from tapwright.formats.loading.episodes import load
from tapwright.store.store import EpisodeStore
from tests.cli.jobs import TASK
from tests.cli.test_untrusted_logs import write_log
from tests.store.episodes import episode

TEXTS = [
    "\x1b]0;owned\x07\x1b[2J", "\x9b31mred", "\x1b]8;;http://evil.example\x1b\\go\x1b]8;;\x1b\\",
    "\r\x1b[Ano error", "abc\u202egnp.exe", "\u2066\u2067x\u2069", "a\u200fb\u061c", "\u2028next",
    "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "＝1+1",
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>",
    "javascript:alert(1)", "[a](javascript:alert(1))", "![a](http://evil.example/p)",
    "a|b\n|---|---|", "</td></tr></table><h1>x", "`code`**bold**", "\\input{/etc/passwd}",
    "\\write18{id}", "$\\input$ % & # _ ^ ~", "{{ 7 * 7 }}", "{% raw %}", "${7*7}", "%s%n%x",
    "../../../../etc/passwd", "/etc/passwd", "nul\0l", "half \ud83d", "x" * 20_000, "'; DROP TABLE",
]  # fmt: skip
UNSEEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
COMMANDS = [
    "episodes ls store", "episodes ls store --format human", "episodes show store one",
    "episodes show store one --format human", "episodes check store", "episodes stats store",
    "episodes log store one", "episodes tag store one --add x", "eval ls runs",
    "eval ls runs --format human", "eval table runs/one runs/two", "eval score runs/one",
    "eval table runs/one runs/two --by suite", "eval compare runs/one runs/two --flips",
    'episodes ls store --where text("alert")', "episodes diff store other",
    "episodes dedupe store", "episodes rejudge other --tasks tasks",
    "tasks ls tasks", "tasks ls tasks --format human", "tasks show tasks/pay.textproto",
    "tasks check tasks/pay.textproto", "annotate run store --with rules", "annotate status store",
    "sft preview store --convention json --outcome any", "sft stats store --convention json",
]  # fmt: skip
FILES = [
    "eval table runs/one runs/two --to csv", "eval table runs/one runs/two --to md",
    "eval table runs/one runs/two --to tex", "eval table runs/one runs/two --by suite --to csv",
    "eval table runs/one runs/two --by suite --to csv-long",
]  # fmt: skip
PAGES = [
    "report runs/one runs/two -o report.html", "eval view runs -o site",
    "episodes card store -o card.md --html card.html", "episodes stats store -o stats.html",
    "episodes bundle store -o site/bundle", "tasks export --suite tasks --device phone -o harbor",
    "sft preview store --convention json --outcome any --html sample.html",
]  # fmt: skip


class Tags(HTMLParser):
    """The tags and attributes by which a page would run something of `TEXTS`."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[str] = []
        self._script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._script = tag == "script"
        for name, value in attrs:
            leads = name in ("href", "src", "action", "formaction", "data", "poster", "srcdoc")
            if name.startswith("on") or (leads and (value or "").startswith("javascript:")):
                self.bad.append(f"<{tag} {name}={value}>")

    def handle_data(self, data: str) -> None:
        if self._script and data.strip() == "alert(1)":
            self.bad.append(data)


def run(words: str) -> str:
    ended = CliRunner().invoke(cli, words.split())
    # Each is understood; a log may be refused.
    assert "Usage: " not in ended.output, ended.output
    assert not isinstance(ended.exception, UsageError), ended.exception
    if not isinstance(ended.exception, TapwrightError | SystemExit | None):
        raise ended.exception
    return str(ended.output)


@pytest.fixture
def home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store and two runs that have the text in every field that takes it."""
    text: str = request.param
    store = EpisodeStore(tmp_path / "store")
    made = episode(2, "one")
    told = text.encode("utf-8", "replace").decode()
    action = TypeText(text=told[:1000], at=Point(0.5, 0.5))
    first, second = made.steps
    steps = (
        replace(first, decision=Decision(action, told, target=told)),
        replace(second, decision=Decision(Tap(at=Point(0.5, 0.5)), told), refused=told),
    )
    store.write(replace(made, instruction=told, agent=told, device=told, task_id=told, steps=steps))
    EpisodeStore(tmp_path / "other").write(replace(made, instruction=told[::-1]))
    (tmp_path / "tasks").mkdir()
    asked = "".join(f"\\{byte:03o}" for byte in told.encode()[:2000])
    (tmp_path / "tasks/pay.textproto").write_text((TASK % "pay").replace("Pay.", asked))
    for name in ("one", "two"):
        write_log(tmp_path / "runs" / name)
        log = tmp_path / "runs" / name / "run.jsonl"
        head, row = map(json.loads, log.read_text().splitlines())
        _fill(head["config"], text, {"subject", "source", "prompt"})
        _fill(row["value"], text, {"answer", "parsed", "cluster", "instruction", "app"})
        row["value"]["about"]["labels"] = {"app": text, "difficulty": text}
        row["key"] = row["value"]["id"] = text
        log.write_text("".join(json.dumps(one) + "\n" for one in (head, row)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _fill(record: dict[str, JsonValue], text: str, names: set[str]) -> None:
    for name, value in record.items():
        if name in names and isinstance(value, str):
            record[name] = text
        elif isinstance(value, dict):
            _fill(value, text, names)


def look_into(table: str, kind: str) -> None:
    """A table of texts has no formula, no page's code and no command of LaTeX."""
    match kind:
        case "md":
            assert not re.search(r"(?<!\\)(\]\(javascript|<script)", table)
        case "tex":
            assert not re.search(r"\\(input|write)", table)
        case _:
            cells = [cell for line in csv.reader(io.StringIO(table)) for cell in line]
            starts = ("=", "+", "@", "\t", "\r")
            assert not [cell for cell in cells if cell.strip(" ").startswith(starts)]


@pytest.mark.parametrize("home", TEXTS, indirect=True, ids=range(len(TEXTS)))
@pytest.mark.slow_but_one
def test_a_text_is_shown_as_the_text_that_it_is(home: Path) -> None:
    for words in COMMANDS:
        assert not UNSEEN.search(run(words)), words
    for words in FILES:
        look_into(run(words), words.rpartition(" ")[2])
    for words in PAGES:
        run(words)
    for file in [*home.glob("report.[cmt]*"), home / "card.md"]:
        look_into(file.read_text("utf-8"), file.suffix[1:])
    (task,) = home.glob("harbor/*/task.toml")
    assert set(tomllib.loads(task.read_text("utf-8"))["environment"]) >= {"cpus", "mcp_servers"}
    shown = Tags()  # in a notebook
    for one in load(home / "store"):
        shown.feed(one._repr_html_())
        shown.feed(one.steps[0].observation._repr_html_())
    assert shown.bad == []
    for page in [*home.glob("*.html"), *home.glob("site/**/*.html")]:
        tags = Tags()
        tags.feed(page.read_text("utf-8"))
        assert tags.bad == [], page
