"""`tapwright sites`: what a person sees."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tapwright.sites import sites
from tests.cli.running import tapwright
from tests.sites.installed import need


def test_ls_says_which_sites_are_not_installed(tmp_path: Path) -> None:
    run = tapwright("sites", "ls", "--dir", str(tmp_path), "--format", "json")
    rows = json.loads(run.stdout)
    assert [row["name"] for row in rows] == list(sites.names())
    assert not any(row["installed"] for row in rows)


def test_a_site_that_is_not_installed_is_not_started(tmp_path: Path) -> None:
    run = tapwright("sites", "start", "trac", TAPWRIGHT_SITES=str(tmp_path))
    assert run.returncode != 0
    assert "TW360" in run.stderr
    assert "tapwright sites install trac" in run.stderr
    run = tapwright("sites", "start", TAPWRIGHT_SITES=str(tmp_path))
    assert run.returncode != 0
    assert "no site is installed" in run.stderr


def test_an_unknown_site_is_told_with_the_nearest_name(tmp_path: Path) -> None:
    run = tapwright("sites", "install", "track", TAPWRIGHT_SITES=str(tmp_path))
    assert run.returncode != 0
    assert "trac" in run.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_an_index_without_the_packages_ends_the_installation_with_what_pip_said(
    tmp_path: Path,
) -> None:
    run = tapwright(
        "sites", "install", "trac", TAPWRIGHT_SITES=str(tmp_path), PIP_NO_INDEX="1",
        PIP_FIND_LINKS="", PIP_CONFIG_FILE="/dev/null",
    )  # fmt: skip
    assert run.returncode != 0
    assert "TW362" in run.stderr
    assert "setuptools" in run.stderr


@pytest.mark.slow
def test_a_started_site_ends_with_an_interrupt(tmp_path: Path) -> None:
    need("trac")
    with subprocess.Popen(
        [sys.executable, "-m", "tapwright", "sites", "start", "trac"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("trac\thttp://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    assert process.returncode == 0
