"""Programs for files and text, with toybox's messages."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

import re2

from tapwright_adb_simulator.shell import ProgramCall
from tapwright_adb_simulator.storage import FileProblem


async def cat(call: ProgramCall) -> int:
    """Write files, or stdin, to stdout."""
    code = 0
    for path in call.arguments or ("-",):
        if path == "-":
            while data := await call.stdin():
                await call.stdout(data)
            continue
        try:
            data = call.system.storage.read(path)
        except FileProblem as problem:
            code = await call.fail(f"cat: {path}: {problem}\n")
        else:
            await call.stdout(data)
    return code


async def echo(call: ProgramCall) -> int:
    """Write the words; `-n` without a newline, and no other option."""
    words = list(call.arguments)
    end = "\n"
    if words[:1] == ["-n"]:
        del words[0]
        end = ""
    await call.write(" ".join(words) + end)
    return 0


async def ls(call: ProgramCall) -> int:
    """List names, one a line; `-l` with mode and size, `-ll` and time, `-d` folders themselves."""
    letters, paths = _options(call.arguments)
    full = "-ll" in call.arguments
    code = 0
    for path in paths or ["/"]:
        storage = call.system.storage
        try:
            node = storage.find(path)
        except FileProblem as problem:
            code = await call.fail(f"ls: {path}: {problem}\n")
            continue
        whole = not node.is_folder or "d" in letters
        for name, entry in [(path, node)] if whole else storage.list(path):
            if "l" in letters:
                kind = "d" if entry.is_folder else "-"
                when = f"{_time_of(entry.time_s)} " if full else ""
                await call.write(f"{kind}rw-rw---- 1 root shell {len(entry.data)} {when}{name}\n")
            else:
                await call.write(f"{name}\n")
    return code


async def rm(call: ProgramCall) -> int:
    """Remove files; `-r` folders too, `-f` without a word about those that are not there."""
    letters, paths = _options(call.arguments)
    code = 0
    for path in paths:
        try:
            call.system.storage.remove(path, folders="r" in letters)
        except FileProblem as problem:
            if problem.number != 2 or "f" not in letters:
                code = await call.fail(f"rm: {path}: {problem}\n")
    return code


async def mkdir(call: ProgramCall) -> int:
    """Make folders; `-p` also those above, and without a word about those that are there."""
    letters, paths = _options(call.arguments)
    storage = call.system.storage
    code = 0
    for path in paths:
        try:
            if "p" not in letters:
                storage.find(path.rstrip("/").rpartition("/")[0] or "/")
                if _is_there(call, path):
                    raise FileProblem(17, "File exists")
            storage.make_folder(path)
        except FileProblem as problem:
            code = await call.fail(f"mkdir: '{path}': {problem}\n")
    return code


async def grep(call: ProgramCall) -> int:
    """Write the lines of stdin that fit; `-v` those that do not, `-i`, `-F`, `-c`, `-q`, `-o`."""
    letters, words = _options(call.arguments)
    if len(words) != 1:
        return await call.fail("grep: expected one pattern, and what to read on stdin\n", 2)
    try:
        options = re2.Options()
        options.case_sensitive = "i" not in letters
        options.literal = "F" in letters
        options.log_errors = False
        pattern = re2.compile(words[0], options)
    except re2.error as error:
        return await call.fail(f"grep: bad REGEX '{words[0]}': {error}\n", 2)
    count, rest, data = 0, b"", b"-"
    while data:
        data = await call.stdin()
        *lines, rest = (rest + data).split(b"\n") if data else ([rest, b""] if rest else [b""])
        for raw in lines:
            line = raw.decode("utf-8", "surrogateescape")
            found = pattern.search(line)
            if bool(found) == ("v" in letters):
                continue
            count += 1
            if not letters & {"c", "q"}:
                await call.write((found[0] if found and "o" in letters else line) + "\n")
    if "c" in letters:
        await call.write(f"{count}\n")
    return int(not count)


async def head(call: ProgramCall) -> int:
    """Write the first lines of stdin, ten or `-n` of them, or `-c` bytes."""
    words = list(call.arguments)
    how, number = "-n", "10"
    if words and re.fullmatch(r"-\d+", words[0]):
        number = words[0][1:]
    elif len(words) > 1:
        how, number = words[0], words[1]
    if not number.isdecimal():
        return await call.fail(f"head: not a number: {number}\n")
    left, data = int(number), b""
    while len(data) < left if how == "-c" else data.count(b"\n") < left:
        more = await call.stdin()
        if not more:
            break
        data += more
    kept = data[:left] if how == "-c" else b"".join(data.splitlines(keepends=True)[:left])
    await call.stdout(kept)
    return 0


async def tail(call: ProgramCall) -> int:
    """Write the last lines of stdin, ten or `-n` of them."""
    words = [word for word in call.arguments if word != "-n"]
    number = "".join(words[:1]).lstrip("-") or "10"
    if not number.isdecimal():
        return await call.fail(f"tail: not a number: {number}\n")
    lines = (await call.read_all()).splitlines(keepends=True)
    await call.stdout(b"".join(lines[len(lines) - min(int(number), len(lines)) :]))
    return 0


async def wc(call: ProgramCall) -> int:
    """Count stdin: `-l` lines, `-w` words, `-c` bytes, or all three."""
    letters, _ = _options(call.arguments)
    data = await call.read_all()
    counts = {"l": data.count(b"\n"), "w": len(data.split()), "c": len(data)}
    counted = [str(count) for letter, count in counts.items() if not letters or letter in letters]
    await call.write(" ".join(counted) + "\n")
    return 0


def _options(words: Sequence[str]) -> tuple[set[str], list[str]]:
    """The letters of the options, and the other words."""
    letters = {letter for word in words if word.startswith("-") for letter in word[1:]}
    return letters, [word for word in words if not word.startswith("-") or word == "-"]


def _time_of(time_s: int) -> str:
    return datetime.fromtimestamp(time_s, UTC).strftime("%Y-%m-%d %H:%M:%S.%f000 +0000")


def _is_there(call: ProgramCall, path: str) -> bool:
    try:
        call.system.storage.find(path)
    except FileProblem:
        return False
    return True
