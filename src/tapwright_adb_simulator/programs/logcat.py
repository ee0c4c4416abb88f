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
class _Wish:
    """What is asked for: which lines, from where, and whether those to come."""

    clear: bool = False
    follow: bool = True
    last: int | None = None
    since: str = ""
    levels: dict[str, str] = field(default_factory=dict)
    problem: str = ""

    def wants(self, line: str) -> bool:
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
    wish = _read(call.arguments)
    if wish.problem:
        return await call.fail(f"logcat: {wish.problem}\n")
    log = call.system.log
    if wish.clear:
        log.clear()
        return 0
    lines = list(log.since(0))
    at = log.end
    if wish.since:
        lines = [line for line in lines if _time(line) >= wish.since]
    elif wish.last is not None:
        lines = lines[len(lines) - min(wish.last, len(lines)) :]
    await call.say(_HEADING)
    await _tell(call, lines, wish.wants)
    while wish.follow:
        if at == log.end and not await call.stream.until_gone(log.wait()):
            break
        lines, at = list(log.since(at)), log.end
        await _tell(call, lines, wish.wants)
    return 0


async def _tell(call: ProgramCall, lines: Sequence[str], wants: Callable[[str], bool]) -> None:
    text = "".join(f"{line}\n" for line in lines if wants(line))
    if text:
        await call.say(text)


def _time(line: str) -> str:
    found = _LINE.match(line)
    return found[1] if found else ""


def _read(words: Sequence[str]) -> _Wish:
    wish = _Wish()
    given = iter(words)
    for word in given:
        match word:
            case "-c" | "--clear":
                wish.clear = True
            case "-d":
                wish.follow = False
            case "-s":
                wish.levels.setdefault("*", "S")
            case "-v" | "-b" | "--buffer" | "--format":
                next(given, "")
            case "-T" | "-t":
                wish.follow = wish.follow and word == "-T"
                _begin(wish, next(given, ""))
            case _ if word.startswith("-"):
                if not word.startswith(("-v", "-b", "--buffer=", "--format=")):
                    wish.problem = f"unknown option {word}"
            case _:
                tag, _, level = word.partition(":")
                wish.levels[tag] = (level or "V").upper()[:1]
                if wish.levels[tag] not in _LEVELS:
                    wish.problem = f"Invalid filter expression '{word}'"
    return wish


def _begin(wish: _Wish, where: str) -> None:
    if where.isdecimal():
        wish.last = int(where)
    elif _TIME.fullmatch(where):
        wish.since = where
    else:
        wish.problem = f"-t or -T: expected a number or MM-DD hh:mm:ss.mmm, found '{where}'"
