import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import pytest

from tapwright.errors import TapwrightError
from tapwright.harnesses.errors import (
    SuiteDeviceError,
    SuiteEvaluatorError,
    SuiteLostError,
    SuiteMissingError,
    SuiteProtocolError,
    SuiteSetupError,
)
from tapwright.harnesses.harness import SuiteSource
from tapwright.harnesses.protocol import Attempt
from tapwright.harnesses.worker import SuiteLimits, SuiteWorker, SuiteWorkers
from tests.harnesses.sums import PYTHON, SUITE, worker


def test_a_suite_says_who_it_is_whatever_it_prints() -> None:
    with worker() as sums:
        assert str(sums.hello) == "Sums 1.0, commit c0ffee"
        assert "so does what it starts" in sums.last_words()


def test_a_suite_says_what_is_missing_of_it() -> None:
    with worker(part="yes") as sums:
        assert sums.hello.notes == ("without fractions: OSError: no network",)


def test_a_seed_and_an_epoch_give_the_same_task_every_time() -> None:
    with worker() as sums:
        first = sums.set_up("large", {}, seed=7)
        other = sums.set_up("large", {}, seed=7, epoch=2)
        assert sums.set_up("large", {}, seed=7) == first != other
        assert f"{first.params['terms']}" in str(first.params)


def test_a_right_answer_is_1_and_none_is_0() -> None:
    with worker() as sums:
        sums.set_up("small", {}, seed=1)
        assert sums.evaluate(Attempt(claim="done")).score == 0
        terms = sums.set_up("small", {}, seed=1).params["terms"]
        assert isinstance(terms, list)
        right = str(sum(term for term in terms if isinstance(term, int)))
        assert sums.evaluate(Attempt(answer=right, claim="done", steps=2)).score == 1
        sums.tear_down()


@pytest.mark.parametrize(
    ("task", "kind", "said"),
    [
        ("crash", SuiteLostError, "SIGABRT.*Segmentation fault in libsums"),
        ("exit", SuiteLostError, "exit code 7"),
        ("no-set-up", SuiteSetupError, "RuntimeError: the app store does not answer"),
        ("import", SuiteMissingError, "nltk_that_needs_the_network"),
        ("device", SuiteDeviceError, "device offline"),
        ("no-answer", SuiteProtocolError, "instruction"),
    ],
)
def test_what_goes_wrong_in_a_set_up_is_named(
    task: str, kind: type[TapwrightError], said: str
) -> None:
    with worker() as sums, pytest.raises(kind, match=f"(?s){said}"):
        sums.set_up(task, {})


@pytest.mark.parametrize(
    ("task", "kind", "said"),
    [
        ("no-verdict", SuiteEvaluatorError, "KeyError: 'battery level'"),
        ("above-one", SuiteProtocolError, "score"),
        ("crash-at-end", SuiteLostError, "evaluate"),
    ],
)
def test_what_goes_wrong_in_an_evaluator_is_named(
    task: str, kind: type[TapwrightError], said: str
) -> None:
    with worker() as sums:
        sums.set_up(task, {})
        with pytest.raises(kind, match=f"(?s){said}"):
            sums.evaluate(Attempt())


def test_what_a_suite_writes_to_stdout_does_not_reach_the_protocol() -> None:
    with worker() as sums:
        assert sums.set_up("print", {}).instruction
        assert "not JSON at all" in sums.last_words()


@pytest.mark.slow
def test_a_suite_that_hangs_is_ended_with_what_it_started(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    with worker(SuiteLimits(set_up_s=1.0), pid=str(told)) as sums:
        with pytest.raises(SuiteLostError, match=r"(?s)did not answer set_up within 1 s.*setting"):
            sums.set_up("children", {})
        assert not sums.alive
        assert wait_until_gone(int(told.read_text()))
        with pytest.raises(SuiteLostError):
            sums.tear_down()


@pytest.mark.slow
def test_a_suite_ends_with_whoever_started_it_however_that_ends(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    code = (
        "from tests.harnesses.sums import worker; import sys\n"
        f"w = worker(pid={str(told)!r}); print(w.pid, flush=True); w.set_up('children', {{}})"
    )
    driver = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert driver.stdout is not None
    suite = int(driver.stdout.readline())
    while not (told.exists() and told.read_text()):
        sleep(0.01)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    driver.stdout.close()
    assert wait_until_gone(suite)
    assert wait_until_gone(int(told.read_text()))


def wait_until_gone(pid: int) -> bool:
    end = monotonic() + 30
    while monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if "State:\tZ" in Path(f"/proc/{pid}/status").read_text():
            return True
        sleep(0.01)
    return False


def test_a_python_without_the_suite_is_named() -> None:
    with pytest.raises(SuiteMissingError, match="nltk_that_needs_the_network"):
        SuiteWorker(SUITE, PYTHON, {"import": "yes"})
    with pytest.raises(SuiteMissingError, match="nowhere does not run"):
        SuiteWorker(SUITE, Path("/nowhere"))


def test_a_program_that_speaks_something_else_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text("print('hello?'); import time; time.sleep(60)")
    with pytest.raises(SuiteProtocolError, match="answered b'hello"):
        SuiteWorker(replace(SUITE, program=other), PYTHON)
    other.write_text(
        "import json, sys\nfor line in sys.stdin:\n"
        " print(json.dumps({'id': 1, 'result': {'suite': 'x', 'protocol': 2}}), flush=True)"
    )
    with pytest.raises(SuiteProtocolError, match="version 2 of the protocol; expected 1"):
        SuiteWorker(replace(SUITE, program=other), PYTHON)


def test_a_lost_worker_is_replaced_unless_the_suite_has_changed(tmp_path: Path) -> None:
    version = tmp_path / "version"
    version.write_text("1.0")
    workers = SuiteWorkers(SUITE, PYTHON, {"version": str(version)})
    first = workers.take()
    with pytest.raises(SuiteLostError):
        first.set_up("crash", {})
    workers.give_back(first)
    second = workers.take()
    assert second.pid != first.pid
    assert second.set_up("small", {}).instruction
    workers.give_back(second)
    assert workers.take() is second
    version.write_text("1.1")
    with pytest.raises(TapwrightError, match=r"Sums 1\.1, .* began with Sums 1\.0"):
        workers.take()
    second.close()
    workers.close()


def test_a_source_survives_as_text() -> None:
    source = SuiteSource("/opt/my env/bin/python", {"checkout": "/a?b=c&d", "vm": "http://x:1"})
    assert SuiteSource.read(str(source)) == source
    assert str(SuiteSource.read("")) == ""
