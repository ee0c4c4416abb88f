"""Those of BrowserGym's packages that are gigabytes, on pages of this machine.

`TAPWRIGHT_BROWSERGYM_ALL` names a Python that has them: VisualWebArena, WorkArena, AssistantBench.
"""

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from tapwright.core.actions import Goto
from tapwright.devices.web.device import WebDevice
from tapwright.harnesses.errors import (
    SuiteEvaluatorError,
    SuiteMissingError,
    SuiteSetupError,
)
from tapwright.harnesses.protocol import Attempt
from tapwright.harnesses.suites import BROWSERGYM as SUITE
from tapwright.harnesses.worker import SuiteWorker
from tests.cli.running import tapwright
from tests.harnesses.environments import suite_python
from tests.harnesses.pages import serve

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("put_away")]
# It has what each site's login asks for, an item with a comment, and a post with a picture.
PAGE = """
<title>Site</title><a href="#">Log in</a>
<form><label>Username<input id="email"></label><label>Password<input id="password"></label>
<button type="button">Log in</button></form>
<div class="comments_list">I would give $115 for it</div><div class="price">80.00</div>
<div class="desc">A vase</div><div class="submission__image"><img src="/picture.png"></div>
"""
# AssistantBench compares with lists of answers; those of its test split its authors keep.
QUESTIONS: dict[str, dict[str, str | None]] = {
    "validation": {"task": "Which colours has the flag?", "answer": "red\nwhite"},
    "test": {"task": "How high is it?", "answer": None},
}


def _answer(path: str) -> tuple[str, bytes]:
    if path != "/picture.png":
        return "text/html", PAGE.encode()
    picture = BytesIO()
    Image.new("RGB", (8, 8)).save(picture, "PNG")
    return "image/png", picture.getvalue()


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with serve(_answer) as address:
        yield address


@pytest.fixture(scope="module")
def worker(site: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SuiteWorker]:
    """One without keys, without an instance of ServiceNow and without the internet."""
    data = tmp_path_factory.mktemp("data")
    (data / "AssistantBench" / "AssistantBench").mkdir(parents=True)
    for split, row in QUESTIONS.items():
        file = data / "AssistantBench" / "AssistantBench" / f"{split}.jsonl"
        file.write_text(json.dumps({"id": split, **row}) + "\n")
    words = data / "nltk" / "tokenizers" / "punkt_tab" / "english"
    words.mkdir(parents=True)
    for name in ("abbrev_types.txt", "collocations.tab", "ortho_context.tab", "sent_starters.txt"):
        (words / name).touch()  # a tokenizer that knows no abbreviation
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NLTK_DATA", str(data / "nltk"))
        patch.chdir(data)  # a folder of its name is taken for the hub's
        patch.setenv("HF_HOME", str(data / "hub"))
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.delenv("OPENAI_API_KEY", raising=False)
        patch.setenv("VWA_CLASSIFIEDS_RESET_TOKEN", "token")
        for name in ("CLASSIFIEDS", "SHOPPING", "REDDIT", "WIKIPEDIA", "HOMEPAGE"):
            patch.setenv(f"VWA_{name}", f"{site}/{name.lower()}")
        options = {"only": "visualwebarena,workarena,assistantbench", "start_url": site}
        with SuiteWorker(SUITE, suite_python("browsergym_all"), options) as started:
            yield started


def test_tasks_say_what_sets_them_up_and_what_judges_them(worker: SuiteWorker) -> None:
    tasks = {task.id: task for task in worker.tasks()}
    packages = [name.partition(".")[0] for name in tasks]
    assert {name: packages.count(name) for name in packages} == {
        "visualwebarena": 910, "workarena": 716, "assistantbench": 215,
    }  # fmt: skip
    assert tasks["visualwebarena.33"].apps == ("classifieds",)
    assert tasks["visualwebarena.33"].missing == ()
    assert "describes pictures" in tasks["visualwebarena.311"].missing[0]
    assert "OPENAI_API_KEY" in tasks["visualwebarena.303"].missing[0]
    assert "ServiceNow" in tasks["workarena.servicenow.all-menu"].missing[0]
    assert "authors keep" in tasks["assistantbench.test.0"].missing[0]
    assert tasks["assistantbench.validation.0"].missing == ()


@pytest.mark.parametrize("done", [False, True])
def test_an_answer_is_judged_by_visualwebarena(
    done: bool, site: str, worker: SuiteWorker, browser: WebDevice
) -> None:
    browser.reset()
    worker.set_up("visualwebarena.7", browser.address())
    numbers = (40404, 38125) if done else (40404,)
    links = [f"{site}/classifieds/index.php?page=item&id={number}" for number in numbers]
    assert worker.evaluate(Attempt(answer=" ".join(links), claim="success")).score == float(done)


@pytest.mark.parametrize("done", [False, True])
def test_an_address_is_judged_by_visualwebarena(
    done: bool, site: str, worker: SuiteWorker, browser: WebDevice
) -> None:
    browser.reset()
    worker.set_up("visualwebarena.0", browser.address())
    if done:
        browser.perform(Goto(url=f"{site}/classifieds/index.php?page=item&id=4799"))
        browser.observe()
    assert worker.evaluate(Attempt(claim="success")).score == float(done)


@pytest.mark.parametrize(("task", "score"), [("visualwebarena.33", 1), ("visualwebarena.75", 0)])
def test_a_page_is_judged_by_visualwebarena(
    task: str, score: float, worker: SuiteWorker, browser: WebDevice
) -> None:
    browser.reset()
    worker.set_up(task, browser.address())
    assert worker.evaluate(Attempt(claim="success")).score == score


def test_a_judge_whose_key_is_not_set_is_missed_before_anything_is_played(
    worker: SuiteWorker, browser: WebDevice
) -> None:
    browser.reset()
    with pytest.raises(SuiteSetupError, match="OPENAI_API_KEY, which is not set"):
        worker.set_up("visualwebarena.303", browser.address())


def test_a_judge_that_cannot_be_had_gives_no_score(worker: SuiteWorker, browser: WebDevice) -> None:
    browser.reset()
    worker.set_up("visualwebarena.311", browser.address())
    with pytest.raises(SuiteEvaluatorError):
        worker.evaluate(Attempt(answer="It is green", claim="success"))


@pytest.mark.parametrize(
    ("answer", "score"),
    [('["red", "white"]', 1), ('["white"]', 0.5), ("blue", 0), (None, 0)],
)
def test_an_answer_is_judged_by_assistantbench(
    answer: str | None, score: float, worker: SuiteWorker, browser: WebDevice
) -> None:
    browser.reset()
    asked = worker.set_up("assistantbench.validation.0", browser.address())
    assert asked.instruction == "Which colours has the flag?"
    told = worker.evaluate(Attempt(answer=answer, claim="success"))
    assert told.score == score


def test_an_answer_that_nobody_here_knows_gives_no_score(
    worker: SuiteWorker, browser: WebDevice
) -> None:
    browser.reset()
    worker.set_up("assistantbench.test.0", browser.address())
    with pytest.raises(SuiteEvaluatorError, match="authors keep"):
        worker.evaluate(Attempt(answer="9 m", claim="success"))


def test_workarena_needs_an_instance(worker: SuiteWorker, browser: WebDevice) -> None:
    browser.reset()
    with pytest.raises(SuiteSetupError, match="instance"):
        worker.set_up("workarena.servicenow.all-menu", browser.address())


def test_weblinx_has_nothing_to_play() -> None:
    with pytest.raises(SuiteMissingError, match=r"weblinx cannot be played: .* recordings"):
        SuiteWorker(SUITE, suite_python("browsergym_all"), {"only": "weblinx"})


def test_a_list_of_tasks_that_only_the_internet_has_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SuiteMissingError, match="AssistantBench"):
        SuiteWorker(SUITE, suite_python("browsergym_all"), {"only": "assistantbench"})


def test_ls_says_which_package_cannot_be_imported(tmp_path: Path) -> None:
    run = tapwright(
        *("suites", "ls", "browsergym", "--suite-python", str(suite_python("browsergym_all"))),
        *("--suite-option", f"miniwob={tmp_path}"),
        cwd=tmp_path,
        HF_HOME=str(tmp_path),
        HF_HUB_OFFLINE="1",
    )
    assert run.returncode == 0
    assert "  without assistantbench: " in run.stderr
    assert "125 lack the pages of MiniWoB++" in run.stderr
