"""The cluster that a command starts for itself: who reaches it, and what a kill leaves of it."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from time import monotonic, sleep

import pytest

pytestmark = pytest.mark.slow

_COMMAND = """
import asyncio, json, os, signal, sys
from functools import partial
from pathlib import Path
from tapwright.jobs.cluster import RayWork
from tests.jobs.workers import open_recorder

def session():
    import ray
    return ray._private.worker.global_worker.node.get_session_dir_path()

def listening():
    for table in ("tcp", "tcp6"):
        for row in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = row.split()
            if words[3] == "0A":
                yield words[1].partition(":")[0], words[9]

def sockets(directory):
    for process in Path("/proc").glob("[0-9]*"):
        try:
            links = [os.readlink(one) for one in (process / "fd").iterdir()]
        except OSError:
            continue
        if any(link.startswith(directory) for link in links):
            yield from (link[8:-1] for link in links if link.startswith("socket:["))

async def main():
    async with RayWork(partial(open_recorder, Path(sys.argv[1])), workers=1) as work:
        await work("a")
        own = set(sockets(session()))
        found = sorted({address for address, inode in listening() if inode in own})
        from ray.runtime_context import get_runtime_context
        told = sys.argv[2] in str(dict(get_runtime_context().runtime_env))
        seen = {"listening": found, "told": told, "session": session()}
        print(json.dumps(seen), flush=True)
        if sys.argv[3] == "killed":
            os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


def is_loopback(address: str) -> bool:
    """Of an address as /proc/net/tcp has it: words of four bytes, each the wrong way round."""
    data = bytes.fromhex(address)
    found = ip_address(b"".join(data[at : at + 4][::-1] for at in range(0, len(data), 4)))
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


def processes_of(session: str) -> list[str]:
    """Those that have a file of the session open."""
    found = set()
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):
            if os.readlink(link).startswith(f"{session}/"):
                found.add(link.parts[2])
    return sorted(found)


@pytest.mark.parametrize("end", ["killed", "whole"])
def test_it_listens_here_alone_is_told_no_key_and_ends_with_its_command(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(__file__).parents[2]
    monkeypatch.setenv("PYTHONPATH", f"{root / 'src'}:{root}")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody-is-told")
    monkeypatch.setenv("HOME", str(tmp_path))
    ended = subprocess.run(
        [sys.executable, "-c", _COMMAND, str(tmp_path / "log"), "sk-nobody-is-told", end],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ended.returncode == (-signal.SIGKILL if end == "killed" else 0), ended.stderr
    seen = json.loads(ended.stdout)
    assert seen["listening"]
    assert all(is_loopback(address) for address in seen["listening"])
    assert not seen["told"]
    end_s = monotonic() + 120
    while (left := processes_of(seen["session"])) and monotonic() < end_s:
        sleep(0.1)
    assert left == []
