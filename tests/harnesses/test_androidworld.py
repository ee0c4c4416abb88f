"""AndroidWorld itself, by its own code, on a phone that is none.

It is not on PyPI: `TAPWRIGHT_ANDROIDWORLD` names a Python that has it, else the tests are skipped.
"""

from collections.abc import Iterator

import pytest
from pydantic import JsonValue

from tapwright.devices.fake import FakeDevice
from tapwright.harnesses.errors import SuiteDeviceError
from tapwright.harnesses.protocol import Attempt
from tapwright.harnesses.suites import ANDROIDWORLD as SUITE
from tapwright.harnesses.worker import SuiteWorker
from tapwright_adb_simulator import AdbPhone, AdbServer, Android
from tapwright_adb_simulator.androidworld import set_up_for_androidworld
from tapwright_adb_simulator.storage import Storage
from tests.harnesses.androidworld_states import SOLUTIONS
from tests.harnesses.environments import suite_python

SEED = 30

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def suite() -> Iterator[SuiteWorker]:
    with SuiteWorker(SUITE, suite_python("androidworld")) as worker:
        yield worker


@pytest.fixture(scope="module")
def phone() -> Iterator[AdbPhone]:
    android, storage = Android(), Storage()
    set_up_for_androidworld(android, storage)
    with AdbPhone(FakeDevice(), android=android, storage=storage) as opened:
        yield opened


@pytest.fixture(scope="module")
def address(phone: AdbPhone) -> Iterator[dict[str, JsonValue]]:
    with AdbServer() as server:
        yield {
            "kind": "adb",
            "serial": server.connect(phone.address),
            "host": "127.0.0.1",
            "port": server.port,
            "program": server.program,
        }


def test_all_tasks_are_made_at_the_pinned_commit(suite: SuiteWorker) -> None:
    tasks = suite.tasks(SEED)
    assert suite.hello.commit.startswith(SUITE.commit)
    assert len(tasks) == 116
    budgets = {task.id: task.max_steps for task in tasks}
    # Ten times the complexity that each class states.
    assert (budgets["SystemWifiTurnOn"], budgets["OsmAndTrack"]) == (10, 120)
    assert (budgets["ContactsAddContact"], budgets["MarkorMergeNotes"]) == (12, 78)


@pytest.mark.parametrize("task", SOLUTIONS)
def test_a_task_is_0_before_and_1_after_it_was_done(
    task: str, suite: SuiteWorker, phone: AdbPhone, address: dict[str, JsonValue]
) -> None:
    prepared = suite.set_up(task, address, seed=SEED)
    assert suite.evaluate(Attempt(claim="success")).score == 0
    answer = SOLUTIONS[task](phone, prepared.params)
    assert suite.evaluate(Attempt(answer=answer, claim="success")).score == 1
    # Whoever never says that it is done has no success, as in the suite's own runner.
    assert suite.evaluate(Attempt(answer=answer)).score == 0
    suite.tear_down()


def test_a_phone_that_is_gone_is_no_score(
    suite: SuiteWorker, address: dict[str, JsonValue]
) -> None:
    with pytest.raises(SuiteDeviceError, match="not found"):
        suite.set_up("SystemWifiTurnOn", {**address, "serial": "emulator-5999"}, seed=SEED)
