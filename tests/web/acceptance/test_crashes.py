"""A server that is killed, and a disk that is full: nothing is lost, and nothing is claimed."""

import re
import resource
import signal
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tapwright.core.actions import Tap
from tapwright.store.store import EpisodeStore
from tests.cli.serving import serving
from tests.web.acceptance.recording import Recorder
from tests.web.browsing import watched

pytestmark = pytest.mark.slow

SERVE = ("serve", "--device", "fake:live", "--suite", "phone", "--episodes", "kept", "--port")
BROKEN = "WebSocket|ERR_CONNECTION_(REFUSED|RESET)|ERR_CONTENT_LENGTH_MISMATCH|ERR_EMPTY_RESPONSE"


@pytest.mark.long
def test_three_kills_in_forty_steps_leave_forty_steps(
    browser_process: Browser, tmp_path: Path
) -> None:
    """Check 3: each step is done once, in order, wherever the kill came."""
    port, done = "0", 0
    places = [0.1 + 0.02 * number for number in range(40)]
    with watched(browser_process, allow=BROKEN) as found:
        for kill_after in (11, 22, 33, None):
            with serving(*SERVE, port, cwd=tmp_path) as served:
                port = str(urlsplit(served.url).port)
                recorder = Recorder(found.page, served.url, EpisodeStore(tmp_path / "kept"))
                if done == 0:
                    recorder.start("Forty taps")
                else:
                    recorder.bring_back()
                    recorder.saved(done)  # the one that was on its way has found its answer
                    recorder.ready()
                while done < (kill_after or 40):
                    recorder.tap(places[done], 0.4)
                    done += 1
                    if done % 3 == 0:
                        recorder.saved(done)
                if kill_after is None:
                    recorder.saved(40)
                    recorder.finish()
                else:
                    served.process.send_signal(signal.SIGKILL)
                    served.process.communicate(timeout=60)
                    lost = found.page.get_by_role("alert").filter(has_text="Reconnecting")
                    expect(lost).to_be_visible()
                    expect(recorder.press("Back")).to_be_disabled()
    *taps, last = recorder.episode.steps
    assert last.decision.action is not None
    assert last.decision.action.type == "finish"
    made = [step.decision.action.at.x for step in taps if isinstance(step.decision.action, Tap)]
    assert made == pytest.approx(places, abs=0.01)


def test_a_phone_that_was_reset_is_brought_back_before_its_check_judges_anything(
    browser_process: Browser, tmp_path: Path
) -> None:
    """A new phone is not in airplane mode, which is all that the task asks for."""
    serve = ("serve", "--device", "phone", "--suite", "phone", "--episodes", "kept", "--port")
    port = "0"
    with watched(browser_process, allow=BROKEN) as found:
        reached = found.page.get_by_text("Goal reached")
        for restarted in (False, True):
            with serving(*serve, port, cwd=tmp_path) as served:
                port = str(urlsplit(served.url).port)
                recorder = Recorder(found.page, served.url, EpisodeStore(tmp_path / "kept"))
                if not restarted:
                    recorder.start_task(re.compile("Switch airplane mode off"))
                    recorder.press("Wait 1 s").click()
                    recorder.saved(1)
                    served.process.send_signal(signal.SIGKILL)
                    served.process.communicate(timeout=60)
                    continue
                banner = found.page.get_by_role("alert").filter(has_text="was restarted")
                expect(banner).to_be_visible()
                expect(recorder.press("Home")).to_be_disabled()
                recorder.press("Close with a reason").click()
                dialog = found.page.get_by_role("dialog", name="Finish the demonstration")
                last = dialog.get_by_role("button", name="Finish", exact=True)
                expect(last).to_be_disabled()
                dialog.get_by_role("button", name="Cancel").click()
                recorder.bring_back()
                recorder.ready()
                recorder.press("Home").click()
                recorder.saved(2)
                expect(reached).to_have_count(0)


def test_a_full_disk_stops_the_recording_until_there_is_room(
    browser_process: Browser, tmp_path: Path
) -> None:
    """Check 5: no file may grow any more, as on a disk that is full.

    That it is told within a second is measured in `bench/bench_web.py`.
    """
    with (
        serving(*SERVE, "0", cwd=tmp_path) as served,
        watched(browser_process) as found,
    ):
        recorder = Recorder(found.page, served.url, EpisodeStore(tmp_path / "kept"))
        recorder.start()
        recorder.tap()
        recorder.saved(1)
        limits = resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (0, limits[1]))
        recorder.tap(0.6)
        banner = found.page.get_by_role("alert").filter(has_text="Not saved")
        expect(banner.first).to_be_visible()
        expect(found.page.get_by_role("status").filter(has_text="All saved")).to_have_count(0)
        expect(recorder.steps).to_have_count(1)
        expect(recorder.press("Back")).to_be_disabled()
        recorder.tap(0.7)
        assert len(recorder.episode.steps) == 1
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, limits)
        recorder.press("Try to save again").click()
        recorder.saved(2)
        recorder.ready()
        recorder.tap()
        recorder.saved(3)
        targets = [step.decision.target for step in recorder.episode.steps]
    assert targets == ["Button 0", "Button 1", "Button 2"]
