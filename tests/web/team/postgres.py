"""A PostgreSQL server of the tests' own: on a socket in a directory of its own, gone afterwards."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_PLACES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def programs() -> Path:
    """Where PostgreSQL's programs are; skips the test when they are not, but on CI."""
    on_path = shutil.which("initdb")
    found = Path(on_path).parent if on_path else next(iter(_PLACES), None)
    if found is None:
        if "CI" in os.environ:
            pytest.fail("there is no PostgreSQL: make .make/programs")
        pytest.skip("there is no PostgreSQL: make .make/programs")
    return found


@contextmanager
def server() -> Iterator[str]:
    """A server while the block lasts, and the directory of its socket, which is its host."""
    bin_ = programs()
    directory = Path(tempfile.mkdtemp(prefix="tapwright-pg-"))
    identity: dict[str, Any] = {}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        nobody = _unprivileged()
        os.chown(directory, nobody.pw_uid, nobody.pw_gid)
        identity = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}

    def run(program: str, *words: str) -> None:
        subprocess.run(
            [str(bin_ / program), *words],
            check=True,
            cwd=directory,
            stdout=subprocess.DEVNULL,
            **identity,
        )

    data = str(directory / "data")
    try:
        run("initdb", "-D", data, "-U", "tapwright", "-A", "trust", "--no-sync", "-E", "UTF8")
        options = f"-c listen_addresses= -c fsync=off -c unix_socket_directories={directory}"
        log = str(directory / "log")
        run("pg_ctl", "-D", data, "-l", log, "-o", options, "-w", "-t", "60", "start")
        try:
            yield str(directory)
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _unprivileged() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    pytest.skip("run as root, and there is no other user to run PostgreSQL as")
