"""Damages bytes as files from strangers are damaged, by accident or on purpose."""

import os
import random
from pathlib import Path

NUMBERS = [
    b"0", b"-1", b"1e999", b"-1e999", b"NaN", b"Infinity", b"4611686018427387904", b"9" * 400,
    b"1e308", b"2147483648", b"0.5e-400", b"-0", b"-Infinity", b"9" * 1_000_000,
]  # fmt: skip
WORDS = [
    b"null", b"true", b"[]", b"{}", b'""', b'"builtins.exec"', b'"tests.hostile.canary:strike"',
    b'"../../../../etc/passwd"', b'"/etc/passwd"', b'"\\ud800"', b'"\\u0000"', b'"\x1b[2J\x07"',
    b'"{{ 7 * 7 }}"', b'"<script>"', b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe", b"\0" * 40,
    b"%s%n%999999999d", b"(a+)+$", b"'a' * 3000000000", b"y = 9 ** 9 ** 9", b"\n", b"\xe2\x80\xae",
    b'<!DOCTYPE a [<!ENTITY b "&c;&c;&c;">]>&b;', b'<!ENTITY x SYSTEM "file:///etc/passwd">',
    b"=cmd|' /C calc'!A0", b"{\\rtf1\\input{/etc/passwd}", b"[a](javascript:alert(1))|x",
    b"http://169.254.169.254/latest", b"file:///etc/passwd", b"\xc2\x9b2J",
    b"../" * 40 + b"etc/passwd",
]  # fmt: skip


def damage(data: bytes, chance: random.Random) -> bytes:
    """Other bytes that were once these; one to four faults, of any kind."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        data = chance.choice(FAULTS)(data, chance)
    return data[:2_000_000]


def replace_file(path: Path, chance: random.Random) -> None:
    """Put something else than a file in the place of one."""
    path.unlink()
    match chance.randrange(5):
        case 0:
            os.mkfifo(path)
        case 1:
            path.symlink_to("/dev/zero")
        case 2:
            path.symlink_to(path.name)
        case 3:
            path.mkdir()
        case _:
            path.symlink_to("/proc/self/environ")


def _place(data: bytes, chance: random.Random) -> int:
    return chance.randrange(len(data) + 1)


def _flip(data: bytes, chance: random.Random) -> bytes:
    at = _place(data, chance)
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: _place(data, chance)]


def _drop(data: bytes, chance: random.Random) -> bytes:
    at = _place(data, chance)
    return data[:at] + data[at + chance.choice((1, 4, 64, 4096)) :]


def _double(data: bytes, chance: random.Random) -> bytes:
    at = _place(data, chance)
    part = data[at : at + chance.choice((1, 16, 512, 8192))]
    return data[:at] + part * chance.choice((2, 2, 50)) + data[at:]


def _insert(data: bytes, chance: random.Random) -> bytes:
    at = _place(data, chance)
    return data[:at] + chance.choice(WORDS + NUMBERS) + data[at:]


def _replace_number(data: bytes, chance: random.Random) -> bytes:
    return _replace(data, b"0123456789.", chance.choice(NUMBERS), chance)


def _replace_text(data: bytes, chance: random.Random) -> bytes:
    opened = data.find(b'"', _place(data, chance))
    closed = data.find(b'"', opened + 1)
    if opened < 0 or closed < 0:
        return _insert(data, chance)
    return data[:opened] + chance.choice(WORDS + NUMBERS) + data[closed + 1 :]


def _replace(data: bytes, kind: bytes, by: bytes, chance: random.Random) -> bytes:
    """The first run of such bytes after some place, replaced."""
    start = next((at for at in range(_place(data, chance), len(data)) if data[at] in kind), None)
    if start is None:
        return _insert(data, chance)
    end = next((at for at in range(start, len(data)) if data[at] not in kind), len(data))
    return data[:start] + by + data[end:]


def _other_ends(data: bytes, chance: random.Random) -> bytes:
    return data.replace(b"\n", chance.choice((b"\r", b"\r\n", b"", b"\n\n", b"\0")))


FAULTS = [
    _flip, _flip, _cut, _drop, _double, _insert, _replace_number, _replace_number, _replace_text,
    _replace_text, _other_ends,
]  # fmt: skip
