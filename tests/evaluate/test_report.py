import asyncio
import csv
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tapwright.agents.random import RandomAgent
from tapwright.agents.replay import ReplayAgent, ReplayCache
from tapwright.agents.tree import TreeAgent
from tapwright.benchmarks.automation import Automation
from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.benchmarks.metrics import cell
from tapwright.benchmarks.understanding import UnderstandingBenchmark
from tapwright.core.episode import Episode
from tapwright.devices.fake import FakeDevice
from tapwright.errors import NothingFoundError, UsageError
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.report import MAX_BYTES, write_report
from tapwright.evaluate.report_data import report_data
from tapwright.evaluate.run import evaluate, evaluate_tasks
from tapwright.evaluate.run_log import RunLog, read_run
from tapwright.models.pricing import Price
from tapwright.models.scripted import ScriptedModel
from tapwright.store.store import EpisodeStore
from tapwright.tasks.task import Signals, Task, Verdict

NASTY = "<script>alert(1)</script><img src=x onerror=alert(2)> \"&' {{ 7 * 7 }}"


class Tags(HTMLParser):
    """What a browser would see: tags and addresses, and whether every tag is closed."""

    VOID = frozenset(("meta", "img", "input", "br", "link"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.addresses: list[str] = []
        self.without_alt = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        given = dict(attrs)
        self.addresses += [str(given[name]) for name in ("src", "href") if name in given]
        self.without_alt += tag == "img" and not given.get("alt")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def own(
    episodes: list[Episode], tmp_path: Path
) -> tuple[UnderstandingBenchmark, GroundingBenchmark]:
    make_benchmarks(episodes, tmp_path / "own")
    return UnderstandingBenchmark(tmp_path / "own"), GroundingBenchmark(tmp_path / "own")


@pytest.fixture
def runs(own: tuple[UnderstandingBenchmark, GroundingBenchmark], tmp_path: Path) -> list[RunLog]:
    l1, l2 = own
    made = [
        asyncio.run(evaluate(l1, agent, tmp_path / f"l1-{agent.name}"))
        for agent in (RandomAgent(1), TreeAgent())
    ]
    return [*made, asyncio.run(evaluate(l2, TreeAgent(), tmp_path / "l2-tree"))]


def read(path: Path) -> tuple[str, Tags]:
    page = path.read_text("utf-8")
    tags = Tags()
    tags.feed(page)
    return page, tags


def test_the_page_is_whole_and_loads_nothing(
    own: tuple[UnderstandingBenchmark, GroundingBenchmark],
    runs: list[RunLog],
    episodes: list[Episode],
    tmp_path: Path,
) -> None:
    out = tmp_path / "report.html"
    write_report(runs, out, benchmarks=own, recorded=episodes)
    page, tags = read(out)
    assert tags.open == []
    assert tags.seen.isdisjoint({"script", "iframe", "link", "object", "form"})
    assert all(a.startswith(("data:image/jpeg;base64,", "#")) for a in tags.addresses)
    assert "@import" not in page
    assert "url(" not in page
    assert tags.without_alt == 0
    assert out.stat().st_size < MAX_BYTES


def test_every_number_stands_in_the_json_beside(runs: list[RunLog], tmp_path: Path) -> None:
    beside = write_report(runs, tmp_path / "report.html")
    found = json.loads(beside.read_text("utf-8"))
    page, _ = read(tmp_path / "report.html")
    order = [(shown["benchmark"], shown["subject"]) for shown in found["runs"]]
    assert order == [("l1", "tree"), ("l1", "random"), ("l2", "tree")]  # the best one first
    for run, shown in zip((runs[1], runs[0], runs[2]), found["runs"], strict=True):
        assert shown["score"]["value"] == cell(run.rows).value
        assert f"<b>{100 * shown['score']['value']:.1f}<small>%" in page
    for level in found["levels"]:
        for table in level["tables"]:
            for row in table["rows"]:
                for entry in row["cells"]:
                    assert entry["value"] is None or f">{100 * entry['value']:.1f}<" in page


def test_what_models_say_is_never_html(
    own: tuple[UnderstandingBenchmark, GroundingBenchmark], tmp_path: Path
) -> None:
    run = asyncio.run(evaluate(own[0], ScriptedModel([NASTY]), tmp_path / "run"))
    write_report([run], tmp_path / "report.html", benchmarks=own, title=NASTY)
    page, tags = read(tmp_path / "report.html")
    assert "script" not in tags.seen
    assert "onerror=alert(2)>" not in page.replace("&gt;", "")
    assert "&lt;script&gt;alert(1)" in page
    assert "{{ 7 * 7 }}" in page


@pytest.mark.slow
def test_hits_and_misses_are_drawn(
    own: tuple[UnderstandingBenchmark, GroundingBenchmark], runs: list[RunLog], tmp_path: Path
) -> None:
    write_report(runs, tmp_path / "report.html", benchmarks=own)
    page, tags = read(tmp_path / "report.html")
    cards = re.findall(r'class="card (hit|miss) run(\d) level(\d)', page)
    assert {verdict for verdict, _, _ in cards} == {"hit", "miss"}
    assert {level for _, _, level in cards} == {"0", "1"}
    assert sum(address.startswith("data:") for address in tags.addresses) >= len(cards)


def test_letters_mistakes_both_parsers_cost_and_the_comparison_are_shown(
    own: tuple[UnderstandingBenchmark, GroundingBenchmark], tmp_path: Path
) -> None:
    l1, l2 = own
    plan = RunPlan(price=Price(input=1, output=1))
    asked = [
        asyncio.run(evaluate(l1, ScriptedModel([said]), tmp_path / f"l1-{number}", plan))
        for number, said in enumerate(("A", "Based on it, (B)"))
    ]
    asked.append(asyncio.run(evaluate(l2, ScriptedModel(["(999, 999)"]), tmp_path / "l2", plan)))
    beside = write_report(asked, tmp_path / "report.html", benchmarks=own)
    page, _ = read(tmp_path / "report.html")
    found = json.loads(beside.read_text("utf-8"))
    runs = {run["header"]["prompt_sha256"] + str(run["confusion"]): run for run in found["runs"]}
    assert len(runs) == 3
    for run in found["runs"]:
        assert run["cost"] > 0
        if run["confusion"] is not None:
            assert sum(run["confusion"]["answered"]) == run["score"]["n"]
    assert sum(found["runs"][2]["mistakes"].values()) == found["runs"][2]["score"]["n"]
    assert len(found["comparisons"]) == 1
    for said in ("Which option was answered", "Why targets were missed", "McNemar", ">cost<"):
        assert said in page


def test_tables_lie_beside_the_page_and_run_nothing(runs: list[RunLog], tmp_path: Path) -> None:
    odd = runs[0].header.model_copy(update={"subject": "=cmd|'/c x'!A0 & <b>_1_</b>"})
    write_report([replace(runs[0], header=odd)], tmp_path / "report.html")
    (row,) = csv.DictReader((tmp_path / "report.csv").read_text().splitlines())
    assert row["subject"] == "'" + odd.subject
    assert row["score"] == f"{100 * (cell(runs[0].rows).value or 0):.1f}"
    markdown, latex = ((tmp_path / f"report.{end}").read_text() for end in ("md", "tex"))
    assert r"\<b\>\_1\_\</b\>" in markdown
    assert len(re.findall(r"(?<!\\)\|", markdown.splitlines()[2])) == 11
    assert r"\& <b>\_1\_</b>" in latex


def test_without_the_data_the_numbers_still_stand(runs: list[RunLog], tmp_path: Path) -> None:
    write_report(runs, tmp_path / "report.html")
    _, tags = read(tmp_path / "report.html")
    assert "img" not in tags.seen


def test_an_unfinished_run_is_said_to_be_one(
    own: tuple[UnderstandingBenchmark, GroundingBenchmark], tmp_path: Path
) -> None:
    run = asyncio.run(evaluate(own[0], TreeAgent(), tmp_path / "run"))
    torn = RunLog(run.path, run.header, run.created, run.rows[:5])
    other = RunLog(
        run.path, run.header.model_copy(update={"tapwright": "0.0.9"}), run.created, run.rows
    )
    write_report([torn, other], tmp_path / "report.html")
    page, _ = read(tmp_path / "report.html")
    assert f"tree on l1: 5 of {run.header.samples} samples have an answer" in page
    assert "different versions of tapwright: 0.0.9, " in page


def test_a_run_with_no_answer_at_all_can_be_shown(
    own: tuple[UnderstandingBenchmark, GroundingBenchmark], tmp_path: Path
) -> None:
    run = asyncio.run(evaluate(own[0], TreeAgent(), tmp_path / "run"))
    empty = RunLog(run.path, run.header, run.created, ())
    beside = write_report([empty], tmp_path / "report.html", benchmarks=own)
    assert json.loads(beside.read_text("utf-8"))["runs"][0]["score"]["value"] is None


class Always:
    """Right from the first screen on."""

    def start(self) -> "Always":
        return self

    def step(self, signals: Signals) -> Verdict:
        return Verdict(score=1.0, reward=0.0, success=True)


def test_a_played_task_is_shown_frame_by_frame(tmp_path: Path) -> None:
    tasks = [Task("t1", "Press <b>Button 0</b>", ("fake",), Always(), max_steps=20)]
    run = asyncio.run(
        evaluate_tasks(Automation(tasks), TreeAgent.for_task, FakeDevice, tmp_path / "run")
    )
    write_report([run], tmp_path / "report.html")
    page, tags = read(tmp_path / "report.html")
    assert "done right after" in page
    assert "1. tap “Button 0”" in page
    assert "end: success" in page
    assert sum(address.startswith("data:") for address in tags.addresses) > 2
    assert "<b>Button" not in page


def test_played_tasks_have_their_effort_and_their_endings_in_the_page(tmp_path: Path) -> None:
    tasks = [Task(f"t{n}", "Press Button 0", ("fake",), Always(), max_steps=4) for n in range(3)]
    run = asyncio.run(
        evaluate_tasks(Automation(tasks), TreeAgent.for_task, FakeDevice, tmp_path / "run")
    )
    figures = json.loads(write_report([run], tmp_path / "report.html").read_text())
    page = (tmp_path / "report.html").read_text()
    (shown,) = figures["runs"]
    assert shown["causes"] == {"done right": 3}
    assert shown["effort"]["max_steps"] == 4
    assert len(shown["effort"]["curve"]) == 4
    assert "Tasks solved within the budget" in page
    assert f"{shown['effort']['eqa']['exact']:.3f}" in page
    assert "Steps against the script" not in page


def test_what_was_replayed_is_shown_with_the_calls_that_were_made(tmp_path: Path) -> None:
    cache = ReplayCache(EpisodeStore(tmp_path / "wins"))

    def factory(task: Task | None, seed: int) -> ReplayAgent:
        return ReplayAgent(TreeAgent(), cache)

    tasks = [Task("t1", "Press Button 0", ("fake",), Always(), max_steps=4)]
    for name in ("first", "second"):
        run = asyncio.run(evaluate_tasks(Automation(tasks), factory, FakeDevice, tmp_path / name))
    figures = json.loads(write_report([run], tmp_path / "report.html").read_text())
    (shown,) = figures["runs"]
    replayed = shown["steps"]["mean"]
    assert shown["tallies"] == {"replayed": replayed, "asked": 0, "model_calls": 0}
    page = (tmp_path / "report.html").read_text()
    assert "decisions replayed (100.0 %)" in page
    assert "at least as many model calls saved, 0 made" in page


def test_the_median_latency_of_an_even_number_lies_in_the_middle(runs: list[RunLog]) -> None:
    run = runs[0]
    rows = tuple(
        replace(row, latency_s=latency)
        for row, latency in zip(run.rows[:4], (1.0, 8.0, 2.0, 4.0), strict=True)
    )
    found = report_data([RunLog(run.path, run.header, run.created, rows)], ())
    assert isinstance(found["runs"], list)
    (shown,) = found["runs"]
    assert isinstance(shown, dict)
    assert shown["latency_s"] == 3.0


@pytest.mark.parametrize("name", ["r.json", ""])
def test_a_page_that_its_json_would_overwrite_is_refused(
    name: str, runs: list[RunLog], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="a name that is not that of its JSON file"):
        write_report(runs, tmp_path / name if name else Path())
    assert not (tmp_path / "r.json").exists()


def test_a_report_on_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NothingFoundError):
        write_report([], tmp_path / "report.html")


@pytest.mark.parametrize(
    "score", ["NaN", "Infinity", "-Infinity", "1e999", "1e308", "1" + "0" * 400]
)
@pytest.mark.slow_but_one
def test_a_score_that_is_no_finite_number_is_none_and_the_others_stand(
    runs: list[RunLog], tmp_path: Path, score: str
) -> None:
    log = runs[0].path
    first, row, *others = log.read_text().splitlines()
    bad = re.sub(r'"score": [0-9.]+', f'"score": {score}', row)
    assert bad != row
    log.write_text("\n".join([first, bad, *others, ""]))
    run = read_run(log)
    assert [one.score is None for one in run.rows] == [True] + [
        one.score is None for one in runs[0].rows[1:]
    ]
    write_report([run], tmp_path / "report.html")
    assert "NaN" not in (tmp_path / "report.json").read_text()
