"""Compares the phone of `tapwright_adb_simulator` with Android's own adbd, as Debian packages it.

Started by scripts/adbd_conformance.sh in a network of its own: `adbd` listens on every address and
asks for no key. Both are asked the same by the same `adb`; what they say must be the same bytes, on
the same stream, with the same exit code. Programs are the shell's and coreutils', not Android's.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from tapwright.devices.fake import FakeDevice
from tapwright_adb_simulator import AdbPhone, AdbServer

_PORT = 5556
_BIG = bytes(range(256)) * 12_000
_LINES = (
    "true",
    "false",
    "exit 7",
    "exit 300",
    "echo out; echo err >&2",
    "echo -n 'no newline'",
    "echo \"a  b\" 'c  $d' e\\ f \"it's\" '\"'",
    "false || echo else; true && echo then",
    "false && echo never; echo $?",
    "! true; echo $?",
    "echo one two | wc -w",
    "echo one | cat | cat; echo two",
    "echo lost >/dev/null; echo both 2>&1 >&2",
    "echo 'quotes \" in quotes' # and a comment",
    "echo $HOME_THAT_IS_NOT_SET end",
    "echo 中文 😀",
    "mkdir -p /data/local/tmp/x && echo kept > /data/local/tmp/x/a && cat /data/local/tmp/x/*",
    "echo more >> /data/local/tmp/x/a; cat < /data/local/tmp/x/a; rm -r /data/local/tmp/x",
)
_TYPED = ("head -c 5", "cat", "cat; exit 3")
_CODES_ONLY = ("no-such-program", "cat /no/such/file", "rm /no/such/file")


def _ask(server: AdbServer, serial: str) -> dict[str, object]:
    """Everything that one phone says, by what it was asked."""
    said: dict[str, object] = {}
    for how in (("shell",), ("shell", "-x"), ("exec-out",)):
        for line in (*_LINES, *_TYPED):
            # Only the second version of the shell's stream tells where what is typed ends.
            if how != ("shell",) and line in _TYPED:
                continue
            told = server.run("-s", serial, *how, line, stdin=b"typed\n")
            said[f"{' '.join(how)} {line}"] = (told.returncode, told.stdout, told.stderr)
        for line in _CODES_ONLY:
            told = server.run("-s", serial, *how, line)
            split = bool(told.stdout), bool(told.stderr)
            said[f"{' '.join(how)} {line}"] = (told.returncode, split)
    here, back = server.home / "there", server.home / "back"
    here.write_bytes(_BIG)
    server.run("-s", serial, "push", str(here), "/data/local/tmp/new/big", check=True)
    server.run("-s", serial, "pull", "/data/local/tmp/new/big", str(back), check=True)
    said["push and pull"] = back.read_bytes() == _BIG
    out = server.run("-s", serial, "exec-out", "cat /data/local/tmp/new/big").stdout
    said["exec-out of 3 MB"] = out == _BIG
    sent = server.run("-s", serial, "shell", "wc -c", stdin=_BIG)
    said["stdin of 3 MB"] = int(sent.stdout) == len(_BIG)
    listed = server.run("-s", serial, "ls", "/data/local/tmp/new").stdout
    said["ls"] = sorted(line.split()[-1] for line in listed.splitlines())
    missing = server.run("-s", serial, "pull", "/no/such/file", str(back))
    said["pull of nothing"] = missing.returncode, missing.stderr, missing.stdout
    reverse = server.run("-s", serial, "reverse", "--list")
    said["reverse --list"] = reverse.returncode, reverse.stdout, reverse.stderr
    return said


def main() -> int:
    """Ask both, and say where they differ; 1 if they do."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path, metavar="DIRECTORY", help="a Debian that has adbd")
    root: Path = parser.parse_args().root
    (root / "data/local/tmp").mkdir(parents=True, exist_ok=True)
    environment = {"PATH": os.environ["PATH"], "ADBD_PORT": str(_PORT)}
    log = (root / "adbd.log").open("wb")
    adbd = subprocess.Popen(
        ["/usr/sbin/chroot", str(root), "adbd"],
        env=environment,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    try:
        with AdbPhone(FakeDevice()) as phone, AdbServer() as server:
            _connect(server, f"127.0.0.1:{_PORT}")
            theirs = _ask(server, f"127.0.0.1:{_PORT}")
            ours = _ask(server, server.connect(phone.address))
    finally:
        adbd.kill()
        adbd.wait()
        log.close()
    different = [asked for asked in theirs if theirs[asked] != ours[asked]]
    for asked in different:
        print(f"{asked}\n  adbd: {theirs[asked]}\n  ours: {ours[asked]}")  # noqa: T201
    print(f"{len(theirs)} questions, {len(different)} answered differently")  # noqa: T201
    return int(bool(different))


def _connect(server: AdbServer, address: str) -> None:
    """Connect as soon as adbd listens."""
    for _ in range(100):
        if "connected" in server.run("connect", address).stdout.decode():
            return
        time.sleep(0.1)
    raise SystemExit("adbd does not listen")


if __name__ == "__main__":
    sys.exit(main())
