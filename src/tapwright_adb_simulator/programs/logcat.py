"""`logcat`: the log, as it is and as it goes on."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tapwright_adb_simulator.shell import ProgramCall

_LINE = re.compile(r"(\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) +\d+ +\d+ ([VDIWEF]) (.*?) *: ")
_TIME = re.compile(r"\d\d-\d\d \d\d:\d\d:\d\d\.\d+")
_LEVELS = "VDIWEFS"
_HEADING = "--------- beginning of main\n"


@dataclass(slots=True)
class _LogQuery:
    """The options: which lines, from where, and whether to follow."""

    clear: bool = False
    follow: bool = True
    last: int | None = None
    since: str = ""
    levels: dict[str, str] = field(default_factory=dict)
    problem: str = ""

    def matches(self, line: str) -> bool:
        found = _LINE.match(line)
        if found is None or not self.levels:
            return True
        lowest = self.levels.get(found[3], self.levels.get("*", "V"))
        return _LEVELS.index(found[2]) >= _LEVELS.index(lowest)


async def logcat(call: ProgramCall) -> int:
    """The lines so far and then each new one; `-d` no new ones, `-c` forgets all.

    `-T N` and `-t N` begin with the last N lines, or at a time "MM-DD hh:mm:ss.mmm"; `-s` and
    "TAG:LEVEL" choose. The form is always "threadtime", and all buffers are one.
    """
    query = _read(call.arguments)
    if query.problem:
        return await call.fail(f"logcat: {query.problem}\n")
    log = call.system.log
    if query.clear:
        log.clear()
        return 0
    lines = list(log.since(0))
    at = log.end
    if query.since:
        lines = [line for line in lines if _time(line) >= query.since]
    elif query.last is not None:
        lines = lines[len(lines) - min(query.last, len(lines)) :]
    await call.write(_HEADING)
    await _print_lines(call, lines, query.matches)
    while query.follow:
        if at == log.end and not await call.stream.until_gone(log.wait()):
            break
        lines, at = list(log.since(at)), log.end
        await _print_lines(call, lines, query.matches)
    return 0


async def _print_lines(
    call: ProgramCall, lines: Sequence[str], matches: Callable[[str], bool]
) -> None:
    text = "".join(f"{line}\n" for line in lines if matches(line))
    if text:
        await call.write(text)


def _time(line: str) -> str:
    found = _LINE.match(line)
    return found[1] if found else ""


def _read(words: Sequence[str]) -> _LogQuery:
    query = _LogQuery()
    given = iter(words)
    for word in given:
        match word:
            case "-c" | "--clear":
                query.clear = True
            case "-d":
                query.follow = False
            case "-s":
                query.levels.setdefault("*", "S")
            case "-v" | "-b" | "--buffer" | "--format":
                next(given, "")
            case "-T" | "-t":
                query.follow = query.follow and word == "-T"
                _begin(query, next(given, ""))
            case _ if word.startswith("-"):
                if not word.startswith(("-v", "-b", "--buffer=", "--format=")):
                    query.problem = f"unknown option {word}"
            case _:
                tag, _, level = word.partition(":")
                query.levels[tag] = (level or "V").upper()[:1]
                if query.levels[tag] not in _LEVELS:
                    query.problem = f"Invalid filter expression '{word}'"
    return query


def _begin(query: _LogQuery, where: str) -> None:
    if where.isdecimal():
        query.last = int(where)
    elif _TIME.fullmatch(where):
        query.since = where
    else:
        query.problem = f"-t or -T: expected a number or MM-DD hh:mm:ss.mmm, found '{where}'"
