"""BrowserGym's own tasks on tapwright's browser: what needs no server but a local one."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from tapwright.core.actions import Goto, PressKey, Tap
from tapwright.devices.web.device import WebDevice
from tapwright.harnesses.errors import SuiteDeviceError, SuiteMissingError, SuiteSetupError
from tapwright.harnesses.protocol import Attempt
from tapwright.harnesses.suites import BROWSERGYM as SUITE
from tapwright.harnesses.worker import SuiteWorker
from tests.harnesses.environments import suite_python
from tests.harnesses.pages import serve

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("put_away")]
SITES = ("SHOPPING", "SHOPPING_ADMIN", "REDDIT", "GITLAB", "WIKIPEDIA", "MAP", "HOMEPAGE")


def _pages() -> str:
    spec = importlib.util.find_spec("miniwob")
    if spec is None or spec.origin is None:
        pytest.skip("MiniWoB++'s pages are not installed")
    return str(Path(spec.origin).parent / "html")


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """One page at every address, which stands for WebArena's map."""
    page = b"<title>Map</title><div id=sidebar_content>Carnegie Music Hall</div>"
    with serve(lambda _: ("text/html", page)) as address:
        yield address


@pytest.fixture(scope="module")
def worker(site: str) -> Iterator[SuiteWorker]:
    with pytest.MonkeyPatch.context() as patch:
        for name in SITES:
            patch.setenv(f"WA_{name}", site if name == "MAP" else f"{site}/{name.lower()}")
        patch.delenv("OPENAI_API_KEY", raising=False)
        options = {"miniwob": _pages(), "only": "miniwob,webarena,openended"}
        with SuiteWorker(SUITE, suite_python("browsergym"), options) as started:
            yield started


def test_tasks_say_what_they_need(worker: SuiteWorker) -> None:
    tasks = {task.id: task for task in worker.tasks()}
    assert tasks["miniwob.click-test"].needs == ("the pages of MiniWoB++, the package miniwob",)
    assert tasks["miniwob.click-test"].missing == ()
    assert tasks["webarena.7"].needs == ("WebArena's sites, at WA_*",)
    assert tasks["webarena.7"].apps == ("map",)
    assert sum(name.startswith("webarena.") for name in tasks) == 812
    assert sum(name.startswith("miniwob.") for name in tasks) == 125


@pytest.mark.parametrize("done", [False, True])
def test_miniwob_is_judged_by_its_own_task(
    done: bool, worker: SuiteWorker, browser: WebDevice
) -> None:
    browser.reset()
    asked = worker.set_up("miniwob.click-button", browser.address(), seed=3).instruction
    tree = browser.observe().ui_tree
    assert tree is not None
    if done:
        button = next(node for node in tree.nodes if node.text and f'"{node.text}"' in asked)
        assert button.box is not None
        browser.perform(Tap(at=button.box.center))
        browser.observe()
    assert worker.evaluate(Attempt(claim="success")).score == float(done)


def test_pages_that_are_not_there_are_missed_before_anything_is_played(tmp_path: Path) -> None:
    options = {"miniwob": str(tmp_path), "only": "miniwob"}
    with SuiteWorker(SUITE, suite_python("browsergym"), options) as started:
        assert {task.missing for task in started.tasks()} == {
            ("the pages of MiniWoB++, the package miniwob",)
        }


def test_a_task_s_page_may_be_left(worker: SuiteWorker, browser: WebDevice) -> None:
    """Its own process ends what it was asked: the device waits for the page that is there then."""
    browser.reset()
    worker.set_up("miniwob.book-flight", browser.address())
    tree = browser.observe().ui_tree
    assert tree is not None
    field = next(node.box for node in tree.nodes if node.class_name.endswith("EditText"))
    assert field is not None
    browser.perform(Tap(at=field.center))
    browser.perform(PressKey(key="back"))
    assert browser.observe().url == "about:blank"
    assert worker.evaluate(Attempt(claim="failure")).score == 0


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("Pittsburgh International Airport, Southern Beltway, Findlay Township, Allegheny "
         "County, 15231, United States", 1),
        ("the airport", 0),
        (None, 0),
    ],
)  # fmt: skip
def test_an_answer_is_judged_by_webarena(
    answer: str | None, score: float, worker: SuiteWorker, browser: WebDevice
) -> None:
    browser.reset()
    asked = worker.set_up("webarena.7", browser.address())
    assert "international airports" in asked.instruction
    assert browser.observe().url.startswith("http://127.0.0.1")
    assert worker.evaluate(Attempt(answer=answer, claim="success")).score == score


@pytest.mark.parametrize("done", [False, True])
def test_an_address_is_judged_by_webarena(
    done: bool, site: str, worker: SuiteWorker, browser: WebDevice
) -> None:
    browser.reset()
    worker.set_up("webarena.377", browser.address())
    if done:
        wanted = f"{site}/search?query=restaurants%20near%20CMU%20ArtPark%20Lab"
        browser.perform(Goto(url=wanted))
        browser.observe()
    assert worker.evaluate(Attempt(claim="success")).score == float(done)


def test_a_page_is_judged_by_webarena(worker: SuiteWorker, browser: WebDevice) -> None:
    browser.reset()
    worker.set_up("webarena.369", browser.address())
    assert worker.evaluate(Attempt(claim="success")).score == 1
    worker.set_up("webarena.370", browser.address())
    assert worker.evaluate(Attempt(claim="success")).score == 0


def test_a_task_whose_judge_has_no_key_is_not_played(
    worker: SuiteWorker, browser: WebDevice
) -> None:
    judged = next(task for task in worker.tasks() if len(task.needs) == 2)
    assert judged.missing == ("a model of OpenAI's that judges, OPENAI_API_KEY",)
    with pytest.raises(SuiteSetupError, match="OPENAI_API_KEY, which is not set"):
        worker.set_up(judged.id, browser.address())


def test_another_device_is_named(worker: SuiteWorker) -> None:
    with pytest.raises(SuiteDeviceError, match="--device web"):
        worker.set_up("miniwob.click-test", {"kind": "adb"})


def test_a_task_that_asks_nothing_is_no_failure_of_the_agent(
    worker: SuiteWorker, browser: WebDevice
) -> None:
    browser.reset()
    with pytest.raises(SuiteSetupError, match="goal=TEXT"):
        worker.set_up("openended", browser.address())


def test_a_package_that_is_not_installed_is_named() -> None:
    with pytest.raises(SuiteMissingError, match="workarena"):
        SuiteWorker(SUITE, suite_python("browsergym"), {"only": "workarena"})
