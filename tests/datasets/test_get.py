"""`tapwright data get` and `eval run` by name, against servers on this machine."""

import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tapwright.cli.eval.data import find_data
from tapwright.datasets.errors import DatasetMissingError
from tests.cli.running import tapwright
from tests.datasets.published import png, screenspot_pro, screenspot_v2, zipped
from tests.datasets.servers import Fault, Public, serve

ZIP = "screenspotv2_image.zip"


@pytest.fixture
def public() -> Iterator[Public]:
    files = {
        "OS-Copilot/ScreenSpot-v2": screenspot_v2(),
        "likaixin/ScreenSpot-Pro": screenspot_pro(),
    }
    with serve(Public(files=files)) as found:
        yield found


def command(
    public: Public, home: Path, *words: str, token: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run `tapwright` with these servers, and this directory of data sets."""
    return tapwright(
        *words,
        HF_ENDPOINT=public.hub,
        HF_TOKEN=token,
        STORAGE_EMULATOR_HOST=public.hub,
        TAPWRIGHT_DATA=str(home),
    )


def get(
    public: Public, home: Path, *words: str, token: str = ""
) -> subprocess.CompletedProcess[str]:
    return command(public, home, "data", "get", *words, token=token)


def large(public: Public) -> str:
    """The end of the address at which the redirect's server has the zip."""
    return hashlib.sha256(public.files["OS-Copilot/ScreenSpot-v2"][ZIP]).hexdigest()


def test_a_data_set_is_downloaded_unpacked_and_measured_by_its_name(
    public: Public, tmp_path: Path
) -> None:
    run = get(public, tmp_path, "screenspot-v2", "--yes")
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == str(tmp_path / "screenspot-v2")
    for told in ("arXiv:2410.23218", "5efbb1f1b546", "Apache-2.0", "in 5 files", "eval run"):
        assert told in run.stderr
    found = {path.name for path in (tmp_path / "screenspot-v2").iterdir()}
    assert ZIP not in found
    assert {"dataset.json", "screenspot_web_v2.json", "screenspotv2_image"} <= found
    assert not (tmp_path / ".screenspot-v2.part").exists()
    words = ("eval", "run", "screenspot-v2", "-m", "random", "-o", str(tmp_path / "run"))
    run = command(public, tmp_path, *words)
    assert run.returncode == 0, run.stderr
    before = len(public.requests)
    assert get(public, tmp_path, "screenspot-v2").returncode == 0
    assert len(public.requests) == before


def test_a_benchmark_whose_data_is_missing_names_the_command_that_downloads_it(
    public: Public, tmp_path: Path
) -> None:
    run = command(public, tmp_path, "eval", "run", "screenspot-pro", "-m", "random")
    assert run.returncode == 2
    assert "ScreenSpot-Pro is not in" in run.stderr
    assert "hint: tapwright data get screenspot-pro" in run.stderr


def test_data_that_lies_here_is_named_where_a_download_is_missing(
    public: Public, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my bench/offline_images/os_android").mkdir(parents=True)
    (tmp_path / "my bench/L2_annotations.json").write_text("[]")
    run = command(public, tmp_path, "eval", "run", "l2", "-m", "random")
    assert run.returncode == 2
    assert "the folder my bench has such data (tapwright data get mmbench-gui would" in run.stderr
    (hint,) = re.findall("hint: (.*)", run.stderr)
    assert shlex.split(hint) == ["--data", "my bench"]


def test_a_current_directory_that_cannot_be_read_leaves_the_error_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAPWRIGHT_DATA", str(tmp_path / "data"))
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(DatasetMissingError) as caught:
        find_data("l2", "")
    assert caught.value.hint.startswith("tapwright data get mmbench-gui; of recordings of yours:")


def test_loose_files_keep_their_folders_and_the_others_are_left_out(
    public: Public, tmp_path: Path
) -> None:
    assert get(public, tmp_path, "screenspot-pro", "-y").returncode == 0
    root = tmp_path / "screenspot-pro"
    assert (root / "images/blender/a.png").read_bytes()[:4] == png()[:4]
    assert not (root / "eval.yaml").exists()
    assert not public.asked("eval.yaml")


def test_a_mirror_that_states_sizes_in_its_tree_alone_is_listed_too(
    public: Public, tmp_path: Path
) -> None:
    public.sizes_in_tree_only = True
    assert get(public, tmp_path, "screenspot-pro", "-y").returncode == 0
    assert (tmp_path / "screenspot-pro/images/blender/a.png").is_file()


def test_nothing_is_downloaded_without_a_yes(public: Public, tmp_path: Path) -> None:
    run = get(public, tmp_path, "screenspot-v2")
    assert run.returncode == 2
    assert "hint: tapwright data get screenspot-v2 --yes" in run.stderr
    assert not public.asked(ZIP)
    assert list(tmp_path.iterdir()) == []


def test_what_the_hub_does_not_have_is_one_line(public: Public, tmp_path: Path) -> None:
    run = get(public, tmp_path, "ui-vision", "--yes")
    assert run.returncode == 1
    assert "there is no such data (HTTP 404) [TW841]" in run.stderr
    assert list(tmp_path.iterdir()) == []


def test_gated_data_says_where_the_licence_is_accepted_and_how_the_token_is_set(
    public: Public, tmp_path: Path
) -> None:
    public.gated = True
    run = get(public, tmp_path, "screenspot-v2", "--yes", token="wrong-one")
    assert run.returncode == 1
    assert "access is refused (HTTP 401) [TW842]" in run.stderr
    assert f"accept the licence at {public.hub}/datasets/OS-Copilot/ScreenSpot-v2" in run.stderr
    assert f"{public.hub}/settings/tokens, and set HF_TOKEN" in run.stderr
    assert "wrong-one" not in run.stdout + run.stderr


def test_the_token_goes_to_the_hub_and_to_no_server_it_redirects_to(
    public: Public, tmp_path: Path
) -> None:
    public.gated = True
    run = get(public, tmp_path, "screenspot-v2", "--yes", token="secret")
    assert run.returncode == 0, run.stderr
    assert "secret" not in run.stdout + run.stderr
    tokens = {(one.server, one.authorization) for one in public.requests}
    assert tokens == {("hub", "Bearer secret"), ("cdn", "")}


def test_a_hub_that_wants_fewer_requests_is_asked_again(public: Public, tmp_path: Path) -> None:
    public.faults[large(public)] = [Fault(429, retry_after="0"), Fault(503, retry_after="0")]
    public.faults["5efbb1f1b5463a575f2eb7bc30fe29e49c15f93c"] = [Fault(429, retry_after="0")]
    assert get(public, tmp_path, "screenspot-v2", "--yes").returncode == 0
    assert len(public.asked(large(public))) == 3


def test_a_pause_of_an_hour_is_not_waited_for_and_what_is_here_stays(
    public: Public, tmp_path: Path
) -> None:
    public.faults[large(public)] = [Fault(cut=1500), Fault(429, retry_after="3600")]
    run = get(public, tmp_path, "screenspot-v2", "--yes")
    assert run.returncode == 1
    assert "HTTP 429, and asks for a pause of 3600 s [TW843]" in run.stderr
    assert "repeat the command later" in run.stderr
    part = tmp_path / ".screenspot-v2.part/files" / f"{ZIP}.part"
    assert part.stat().st_size == 1500
    assert not (tmp_path / "screenspot-v2").exists()
    run = get(public, tmp_path, "screenspot-v2", "--yes")
    assert run.returncode == 0
    assert "of it is here" in run.stderr
    assert public.asked(large(public))[-1].range == "bytes=1500-"


def test_a_body_that_is_cut_continues_where_it_stopped(public: Public, tmp_path: Path) -> None:
    public.faults[large(public)] = [Fault(cut=700), Fault(cut=800)]
    assert get(public, tmp_path, "screenspot-v2", "--yes").returncode == 0
    ranges = [one.range for one in public.asked(large(public))]
    assert ranges == ["", "bytes=700-", "bytes=1500-"]


@pytest.mark.parametrize("path", [ZIP, "screenspot_web_v2.json"])
def test_a_file_with_another_hash_is_removed_and_refused(
    public: Public, tmp_path: Path, path: str
) -> None:
    public.stated[path] = "0" * (64 if path == ZIP else 40)
    run = get(public, tmp_path, "screenspot-v2", "--yes")
    assert run.returncode == 1
    assert f"{path}: the {'sha256' if path == ZIP else 'git-sha1'} is" in run.stderr
    assert "it was removed [TW844]" in run.stderr
    files = tmp_path / ".screenspot-v2.part/files"
    assert not (files / path).exists()
    assert not (files / f"{path}.part").exists()
    assert not (tmp_path / "screenspot-v2").exists()


def test_a_body_with_more_than_was_announced_is_refused(public: Public, tmp_path: Path) -> None:
    public.faults[large(public)] = [Fault(more=5_000_000)]
    run = get(public, tmp_path, "screenspot-v2", "--yes")
    assert run.returncode == 1
    assert "bytes; expected" in run.stderr
    assert "it was removed [TW844]" in run.stderr
    assert not list(tmp_path.rglob(f"{ZIP}*"))


def test_first_bytes_of_another_file_are_downloaded_again(public: Public, tmp_path: Path) -> None:
    files = tmp_path / ".screenspot-v2.part/files"
    files.mkdir(parents=True)
    (files / f"{ZIP}.part").write_bytes(b"x" * 900)
    (files / "screenspot_web_v2.json").write_bytes(b"[]")
    assert get(public, tmp_path, "screenspot-v2", "--yes").returncode == 0
    ranges = [one.range for one in public.asked(large(public))]
    assert ranges == ["bytes=900-", ""]


def test_a_disk_that_fills_is_one_line_and_leaves_no_data_set(
    public: Public, tmp_path: Path
) -> None:
    files = tmp_path / ".screenspot-v2.part/files"
    files.mkdir(parents=True)
    (files / f"{ZIP}.part").symlink_to("/dev/full")
    run = get(public, tmp_path, "screenspot-v2", "--yes")
    assert run.returncode == 1
    lines = [line for line in run.stderr.splitlines() if line.startswith("error")]
    assert len(lines) == 1
    assert "cannot be written: No space left on device [TW206]" in lines[0]
    assert not (tmp_path / "screenspot-v2").exists()


def test_an_archive_with_a_way_out_is_refused_whole(public: Public, tmp_path: Path) -> None:
    files = public.files["OS-Copilot/ScreenSpot-v2"]
    files[ZIP] = zipped({"screenspotv2_image/a.png": png(), "../out.png": png()})
    run = get(public, tmp_path / "home", "screenspot-v2", "--yes")
    assert run.returncode == 1
    assert "[TW803]" in run.stderr
    assert not (tmp_path / "home/screenspot-v2").exists()
    assert not list(tmp_path.rglob("out.png"))


def test_a_listed_path_that_leads_out_is_refused(public: Public, tmp_path: Path) -> None:
    public.files["OS-Copilot/ScreenSpot-v2"]["../out.json"] = b"[]"
    run = get(public, tmp_path / "home", "screenspot-v2", "--yes")
    assert run.returncode == 1
    assert "lists a file at '../out.json'" in run.stderr
    assert not list(tmp_path.rglob("out.json"))


def test_a_published_file_with_the_name_of_our_record_is_left_out(
    public: Public, tmp_path: Path
) -> None:
    public.files["OS-Copilot/ScreenSpot-v2"]["dataset.json"] = b"theirs"
    assert get(public, tmp_path, "screenspot-v2", "--yes").returncode == 0
    record = json.loads((tmp_path / "screenspot-v2/dataset.json").read_text())
    assert record["revision"] == "5efbb1f1b5463a575f2eb7bc30fe29e49c15f93c"
    assert record["files"][ZIP]["sha256"] == large(public)


def test_what_is_in_the_hubs_own_cache_is_not_downloaded(
    public: Public, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    commit = "5efbb1f1b5463a575f2eb7bc30fe29e49c15f93c"
    cache = tmp_path / "hub/datasets--OS-Copilot--ScreenSpot-v2"
    (cache / "blobs").mkdir(parents=True)
    (cache / "blobs/1").write_bytes(public.files["OS-Copilot/ScreenSpot-v2"][ZIP])
    (cache / "snapshots" / commit).mkdir(parents=True)
    (cache / "snapshots" / commit / ZIP).symlink_to(cache / "blobs/1")
    assert get(public, tmp_path / "home", "screenspot-v2", "--yes").returncode == 0
    assert not public.asked(large(public))
    assert (tmp_path / "home/screenspot-v2/screenspotv2_image/a.png").is_file()
    assert (cache / "blobs/1").is_file()


@pytest.mark.slow
def test_a_download_that_is_interrupted_continues(public: Public, tmp_path: Path) -> None:
    released = threading.Event()
    public.faults[large(public)] = [Fault(cut=1200, wait=released)]
    words = [sys.executable, "-m", "tapwright", "data", "get", "screenspot-v2", "--yes"]
    settings = {"HF_ENDPOINT": public.hub, "HF_TOKEN": "", "TAPWRIGHT_DATA": str(tmp_path)}
    process = subprocess.Popen(
        words,
        env={**os.environ, **settings},
        stderr=subprocess.PIPE,
        text=True,
    )
    part = tmp_path / ".screenspot-v2.part/files" / f"{ZIP}.part"
    deadline = time.monotonic() + 60
    while not (part.is_file() and part.stat().st_size >= 1200) and time.monotonic() < deadline:
        threading.Event().wait(0.05)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    released.set()
    assert process.returncode == 130, stderr
    assert "the same command continues" in stderr
    assert "Traceback" not in stderr
    assert not (tmp_path / "screenspot-v2").exists()
    assert get(public, tmp_path, "screenspot-v2", "--yes").returncode == 0
    assert public.asked(large(public))[-1].range == "bytes=1200-"


def test_a_directory_of_that_name_that_is_something_else_is_left_alone(
    public: Public, tmp_path: Path
) -> None:
    (tmp_path / "screenspot-v2").mkdir()
    (tmp_path / "screenspot-v2/mine.txt").write_text("mine")
    run = get(public, tmp_path, "screenspot-v2", "--yes")
    assert run.returncode == 2
    assert "exists, and is not ScreenSpot-v2" in run.stderr
    assert (tmp_path / "screenspot-v2/mine.txt").read_text() == "mine"


def test_an_unknown_name_suggests_the_nearest(public: Public, tmp_path: Path) -> None:
    run = get(public, tmp_path, "screenspot-por", "--yes")
    assert run.returncode == 2
    assert "did you mean 'screenspot-pro'?" in run.stderr


def test_the_list_says_what_is_here_and_what_was_begun(public: Public, tmp_path: Path) -> None:
    assert get(public, tmp_path, "screenspot-v2", "--yes").returncode == 0
    (tmp_path / ".aitz.part").mkdir()
    run = command(public, tmp_path, "data", "ls", "--format", "json")
    rows = {row["name"]: row for row in json.loads(run.stdout)}
    assert rows["screenspot-v2"]["here"] == "yes"
    assert rows["aitz"]["here"] == "begun"
    assert rows["screenspot-pro"]["here"] == ""
    assert rows["mmbench-gui"]["for"] == "l1, l2"


def test_a_bucket_is_listed_page_by_page_and_checked_by_its_md5_sums(
    public: Public, tmp_path: Path
) -> None:
    public.objects = {
        "android_control/": b"",
        **{f"android_control/android_control-0000{n}-of-00003": b"x" * n for n in (1, 2, 3)},
        "android_control/splits.json": b"{}",
        "other/thing": b"no",
    }
    run = get(public, tmp_path, "android-control", "--yes")
    assert run.returncode == 0, run.stderr
    found = sorted(path.name for path in (tmp_path / "android-control").iterdir())
    assert found == [
        *(f"android_control-0000{n}-of-00003" for n in (1, 2, 3)),
        "dataset.json",
        "splits.json",
    ]
    assert "tapwright episodes import android-control" in run.stderr
    assert (tmp_path / "pins.json").is_file()
