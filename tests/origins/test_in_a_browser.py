"""From a template to a score: a task of Mobile-Env's kind, done by hand in a real browser.

What follows goes on as the users of three originals do: with the check of Mobile-Env's events, with
the files of MMBench-GUI, and with the chat template of gui-odyssey-1k.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tapwright.core.actions import Finish, OpenApp, PressKey, Tap, TypeText
from tapwright.core.observation import UiTree
from tapwright.devices.phone.device import Phone
from tapwright.store.store import EpisodeStore
from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.definitions.textproto import read_task
from tests.cli.running import tapwright
from tests.origins.test_docs_tasks import expand_shown
from tests.origins.test_gui_odyssey_template import CONFIG, ENDS, OWN, fixed_head
from tests.web.acceptance.recording import Recorder, recording
from tests.web.browsing import chromium

pytestmark = pytest.mark.slow

MMBENCH = """
[plan]
parser = "seed"
[benchmarks.l1]
data = "bench"
[benchmarks.l2]
data = "bench"
[models."scripted/never asked"]
generate = "knows.generate"
"""
KNOWS = """
import json
from base64 import b64decode
from pathlib import Path

def generate(messages):
    shown, said = messages[-1]["content"]
    picture = b64decode(shown["image_url"]["url"].partition(",")[2])
    for file, mark, answer in json.loads(Path("answers.json").read_text("utf-8")):
        if mark in said["text"] and Path(file).read_bytes() == picture:
            return answer
"""


def in_bench(folder: Path, level: str, of: str = "") -> list[tuple[Any, Any]]:
    """The entries of a level's annotations, each with each of its parts if it has some."""
    entries = json.loads((folder / f"bench/{level}_annotations.json").read_text("utf-8"))
    return [(one, part) for one in entries for part in (one[of] if of else [None])]


def picture_of(entry: Any) -> str:
    return f"bench/offline_images/{entry['platform']}/{entry['image_path']}"


def find(tree: UiTree | None, id_: str) -> tuple[float, float]:
    assert tree is not None
    found = tree.find(short_id=id_)
    assert found is not None
    assert found.box is not None
    return found.box.center.x, found.box.center.y


def search(recorder: Recorder, bar: tuple[float, float]) -> None:
    """What a person does: opens the shop, taps its search bar, types, presses Enter."""
    recorder.page.get_by_role("combobox", name="App to open").fill("shop")
    recorder.press("Open").click()
    recorder.saved(1)
    recorder.tap(*bar)
    recorder.saved(2)
    field = recorder.page.get_by_role("textbox", name="Text to type")
    field.fill("milk tea")
    field.press("Enter")
    recorder.saved(3)
    expect(recorder.page.get_by_text("Goal reached")).to_have_count(0)
    recorder.press("Enter").click()
    recorder.saved(4)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a definition that a template made, and a store with its recording."""
    folder = tmp_path_factory.mktemp("browser")
    task = task_from_definition(read_task(expand_shown(folder)))
    with Phone.named("jpeg") as phone:
        phone.reset(app="shop")
        bar = find(phone.observe().ui_tree, "search_bar")
    with chromium() as browser, recording(
        browser, folder / "store", lambda: Phone.named("jpeg"), tasks=[task]
    ) as recorder:  # fmt: skip
        recorder.start_task(task.instruction)
        search(recorder, bar)
        expect(recorder.page.get_by_text("Goal reached")).to_be_visible()
        recorder.press("Finish").click()
        expect(recorder.page.get_by_role("heading", name="Demonstration saved")).to_be_visible()
    run = tapwright("annotate", "run", "store", cwd=folder)
    assert "5 of 5 steps explained" in run.stderr
    return folder


def test_a_goal_that_was_reached_stays_reached_when_finish_follows(recorded: Path) -> None:
    (id_,) = EpisodeStore(recorded / "store").ids()
    episode = EpisodeStore(recorded / "store").read(id_)
    assert (episode.outcome, episode.evidence) == ("success", "proved")
    kinds = [type(step.decision.action) for step in episode.steps]
    assert kinds == [OpenApp, Tap, TypeText, PressKey, Finish]
    assert [step.reward for step in episode.steps] == [0, 0, 0, 2, 0]
    run = tapwright("tasks", "judge", "both.textproto", f"store/{id_}", cwd=recorded)
    assert run.returncode == 0, run.stderr
    assert "success" in run.stdout + run.stderr
    words = ("--convention", "json", "--annotator", "rules", "-o", "taught")
    run = tapwright("sft", "export", "store", "--to", "llamafactory", *words, cwd=recorded)
    assert run.returncode == 0, run.stderr
    assert "0 dropped" in run.stderr


def test_its_screens_become_mmbench_gui_s_files_and_are_scored_by_its_rules(
    recorded: Path,
) -> None:
    run = tapwright("eval", "make", "store", "--by-heart", "1", "-o", "bench", cwd=recorded)
    assert run.returncode == 0, run.stderr
    answers: list[tuple[str, str, str]] = []
    letters: list[bool] = []
    places: list[tuple[str, bool]] = []
    for number, (entry, group) in enumerate(in_bench(recorded, "L1", "groups")):
        wrong = next(letter for letter in group["options"] if letter != group["answer"])
        knows = number % 2 == 0
        letters.append(knows)
        said = f"{group['answer'] if knows else wrong}."
        answers.append((picture_of(entry), group["question"], said))
    for number, (entry, _) in enumerate(in_bench(recorded, "L2")):
        left, top, right, bottom = entry["bbox"]
        knows = number % 2 == 0
        places.append((entry["grounding_type"], knows))
        x, y = ((left + right) / 2, (top + bottom) / 2) if knows else (0, 0)
        answers.append((picture_of(entry), entry["instruction"], f"({x:.4f}, {y:.4f})"))
    (recorded / "answers.json").write_text(json.dumps(answers))
    (recorded / "knows.py").write_text(KNOWS)
    (recorded / "mmbench.toml").write_text(MMBENCH)
    run = tapwright("eval", "run", "--config", "mmbench.toml", "-o", "runs", cwd=recorded)
    assert run.returncode == 0, run.stderr
    paths = sorted(f"runs/{one.name}" for one in (recorded / "runs").iterdir())
    run = tapwright("report", *paths, "-o", "report.html", cwd=recorded)
    assert run.returncode == 0, run.stderr
    data = json.loads((recorded / "report.json").read_text("utf-8"))
    l1, l2 = ({one["benchmark"]: one["published"] for one in data["runs"]}[x] for x in ("l1", "l2"))
    assert l1["micro"] == sum(letters) / len(letters)
    assert l1["format_errors"] == l2["format_errors"] == 0
    shares = []
    for level in ("basic", "advanced"):
        found = [knows for kind, knows in places if kind == level]
        shares.append(100 * sum(found) / len(found))
        assert l2["table"][level]["os_android"]["Total accuracy"] == pytest.approx(shares[-1])
    assert l2["average"] == pytest.approx(sum(shares) / 2)


def test_its_steps_become_the_text_of_gui_odyssey_s_template_and_are_read_again(
    recorded: Path,
) -> None:
    words = ("--convention", "android-tools", "--annotator", "rules", "--val-share", "0")
    run = tapwright("sft", "export", "store", "--to", "rendered", *words, "-o", "set", cwd=recorded)
    assert run.returncode == 0, run.stderr
    rows: list[dict[str, Any]] = [
        json.loads(line) for line in (recorded / "set/train.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(rows) == 5
    assert all(row["prompt"].startswith(fixed_head()) for row in rows)
    assert all(row["completion"].endswith(ENDS) for row in rows)
    (recorded / "own.py").write_text(OWN)
    (recorded / "eval.toml").write_text(CONFIG)
    run = tapwright("eval", "run", "--config", "eval.toml", "-o", "run", cwd=recorded)
    assert run.returncode == 0, run.stderr
    assert "100.0 %" in run.stderr
