"""A site that runs: its port, its clock, its reset, its state and its end."""

import json
import os
import socket
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tapwright.errors import DeviceError
from tapwright.sites.errors import SiteLostError
from tapwright.sites.home import SiteHome
from tapwright.sites.running import RunningSite
from tapwright.sites.site import NOW
from tests.sites.examples import ExampleSite


def ask(running: RunningSite, query: str = "") -> dict[str, Any]:
    with urlopen(f"{running.address}?{query}", timeout=60) as answer:
        said: dict[str, Any] = json.load(answer)
        return said


def notes(running: RunningSite) -> list[Any]:
    state = running.state("notes")
    assert isinstance(state, list)
    return [row["text"] for row in state if isinstance(row, dict)]


def test_a_site_starts_with_the_content_of_its_seed_and_language(
    site: ExampleSite, home: SiteHome
) -> None:
    with RunningSite(site, home, seed=4, language="zh") as running:
        assert notes(running) == ["zh 4", "second"]
        assert ask(running)["user"] == "maya"
        assert ask(running)["locale"] == "zh-CN"


def test_a_reset_puts_back_rows_and_files_without_a_restart(
    site: ExampleSite, home: SiteHome
) -> None:
    with RunningSite(site, home) as running:
        port, pid = running.port, running.pid
        assert ask(running, "third")["files"] == ["first.txt", "third"]
        assert notes(running) == ["en 0", "second", "third"]
        assert ask(running, "first.txt")["first"] == "first.txt"
        running.reset()
        assert notes(running) == ["en 0", "second"]
        assert ask(running)["files"] == ["first.txt"]
        assert ask(running)["first"] == "first"
        running.reset(seed=1, language="zh")
        assert notes(running) == ["zh 1", "second"]
        assert ask(running)["locale"] == "zh-CN"
        assert (running.port, running.pid) == (port, pid)


def test_two_sites_from_one_template_share_nothing(site: ExampleSite, home: SiteHome) -> None:
    with RunningSite(site, home) as one, RunningSite(site, home) as other:
        assert one.port != other.port
        ask(one, "third")
        assert notes(one) != notes(other)


def test_a_site_s_clock_starts_at_the_same_moment_with_each_reset(
    site: ExampleSite, home: SiteHome
) -> None:
    with RunningSite(site, home) as running:
        moments = []
        for _ in range(2):
            moments.append(ask(running)["now"] - NOW.timestamp())
            running.reset()
        assert all(0 <= passed < 600 for passed in moments)


def test_state_has_every_table_by_name_reads_arrays_and_knows_no_other(
    site: ExampleSite, home: SiteHome
) -> None:
    with RunningSite(site, home) as running:
        assert running.state("") == {
            "notes": [{"text": "en 0", "tags": []}, {"text": "second", "tags": []}],
            "count": [{"notes": 2}],
        }
        assert running.state("missing") is None
        ask(running, "third")
        rows = running.state("notes")
        assert isinstance(rows, list)
        assert rows[2] == {"text": "third", "tags": ""}


def test_a_closed_site_leaves_no_process_and_no_folder(site: ExampleSite, home: SiteHome) -> None:
    running = RunningSite(site, home)
    folder = Path(f"/proc/{running.pid}/cwd").resolve() if Path("/proc").is_dir() else None
    running.close()
    running.close()
    with pytest.raises(ProcessLookupError):
        os.kill(running.pid, 0)
    assert folder is None or not folder.exists()
    with pytest.raises(SiteLostError, match="ended"):
        running.reset()


def test_a_site_that_ended_is_told_with_the_command_that_starts_it(
    site: ExampleSite, home: SiteHome
) -> None:
    with RunningSite(site, home) as running:
        with pytest.raises(OSError, match=r"closed|reset|refused"):
            ask(running, "end")
        with pytest.raises(SiteLostError, match="Notes has ended") as error:
            running.reset()
        assert error.value.hint == "tapwright sites start notes"


def test_a_port_that_is_taken_is_told(site: ExampleSite, home: SiteHome) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(SiteLostError, match="Errno") as error:
            RunningSite(site, home, port=taken.getsockname()[1])
        assert "choose another" in error.value.hint


def test_a_site_that_does_not_answer_in_time_is_lost(site: ExampleSite, home: SiteHome) -> None:
    home.template(site, 0, "en")
    with pytest.raises(SiteLostError, match="did not answer within 0 s"):
        RunningSite(site, home, timeout_s=0.0)


def test_a_site_that_cannot_be_filled_says_why(site: ExampleSite, home: SiteHome) -> None:
    with pytest.raises(SiteLostError, match="it wants no note"):
        home.template(site, 13, "en")
    assert [path for path in (home.path / "notes/templates").iterdir() if path.is_dir()] == []


def test_a_site_that_is_not_installed_names_the_command(site: ExampleSite, tmp_path: Path) -> None:
    with pytest.raises(DeviceError) as error:
        RunningSite(site, SiteHome(tmp_path / "empty"))
    assert error.value.hint == "tapwright sites install notes"


def test_a_template_is_made_once_and_again_when_its_program_is_another(
    site: ExampleSite, home: SiteHome
) -> None:
    first = home.template(site, 0, "en")
    made = (first / "content.json").stat().st_mtime_ns
    assert home.template(site, 0, "en") == first
    assert (first / "content.json").stat().st_mtime_ns == made
    with site.program.open("a") as program:
        program.write("# another\n")
    assert home.template(site, 0, "en") != first
