"""The phone's shell: runs lines of programs that are all in this package, on files in memory."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import PurePosixPath
from typing import TypeAlias, TypeVar

from tapwright_adb_simulator.android import Android
from tapwright_adb_simulator.branches import Branches
from tapwright_adb_simulator.connection import Service, Stream, StreamGone
from tapwright_adb_simulator.grammar import (
    Pipeline,
    ShellSyntax,
    ShellWord,
    SimpleCommand,
    parse_line,
)
from tapwright_adb_simulator.handset import Handset
from tapwright_adb_simulator.log import DeviceLog
from tapwright_adb_simulator.storage import FileProblem, Storage
from tapwright_adb_simulator.taps import merge_taps

__all__ = ["Program", "ProgramCall", "ReadBytes", "Shell", "System", "WriteBytes"]

T = TypeVar("T")

ReadBytes: TypeAlias = Callable[[], Awaitable[bytes]]
"""Returns the next bytes, b"" at the end."""
WriteBytes: TypeAlias = Callable[[bytes], Awaitable[None]]

_NOT_FOUND, _NOT_UNDERSTOOD, _BROKEN_PIPE = 127, 1, 141
_SHELL = "/system/bin/sh"
_ASSIGNED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class System:
    """The parts that programs use: the screen, the files, the log; `run` runs what blocks.

    `services` are those of the ports and sockets that programs listen on, by what adb calls them.
    """

    handset: Handset
    storage: Storage
    log: DeviceLog
    run: Callable[[Callable[[], object]], Awaitable[object]]
    services: dict[str, Service]

    @property
    def android(self) -> Android:
        """The phone apart from its screen."""
        return self.handset.android


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """One program that runs: its words (the first is its name), its streams, the phone."""

    words: Sequence[str]
    stdin: ReadBytes
    stdout: WriteBytes
    stderr: WriteBytes
    system: System
    stream: Stream

    @property
    def arguments(self) -> Sequence[str]:
        """The words after the name."""
        return self.words[1:]

    async def write(self, text: str) -> None:
        """Write text to stdout."""
        await self.stdout(text.encode("utf-8", "surrogateescape"))

    async def fail(self, text: str, code: int = 1) -> int:
        """Write text to stderr; the exit code."""
        await self.stderr(text.encode("utf-8", "surrogateescape"))
        return code

    async def device(self, act: Callable[[], T]) -> T:
        """Run a blocking function outside the loop; new log lines are published after it."""
        return await self.system.run(act)  # type: ignore[return-value]

    async def read_all(self) -> bytes:
        """All of stdin."""
        parts = []
        while data := await self.stdin():
            parts.append(data)
        return b"".join(parts)


Program: TypeAlias = Callable[[ProgramCall], Awaitable[int]]
"""Runs with its words and returns its exit code."""


@dataclass(slots=True)
class Shell:
    """Runs the lines of one stream; `$?` and `exit` live as long as it."""

    programs: Mapping[str, Program]
    system: System
    stream: Stream
    stdin: ReadBytes
    stdout: WriteBytes
    stderr: WriteBytes
    code: int = 0
    ended: bool = False

    async def run(self, line: str) -> int:
        """Run one line or script; the exit code of its last program."""
        try:
            pipelines = merge_taps(parse_line(line))
        except ShellSyntax as problem:
            return await self._refuse(problem)
        branches = Branches()
        try:
            for given in pipelines:
                if self.ended:
                    break
                pipeline = branches.next(given, self.code)
                if pipeline is None:
                    continue
                if pipeline.after and (pipeline.after == "&&") != (self.code == 0):
                    continue
                self.code = await self._run_pipeline(pipeline)
            branches.end()
        except ShellSyntax as problem:
            return await self._refuse(problem)
        return self.code

    async def _refuse(self, problem: ShellSyntax) -> int:
        await self.stderr(f"{_SHELL}: syntax error: {problem}\n".encode(errors="replace"))
        self.code = _NOT_UNDERSTOOD
        return self.code

    async def _run_pipeline(self, pipeline: Pipeline) -> int:
        last = len(pipeline.commands) - 1
        if not last:
            code = await self._run_command(pipeline.commands[0], self.stdin, self.stdout)
        else:
            pipes = [_Pipe() for _ in range(last)]
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(
                        self._run_piped(
                            command,
                            pipes[number - 1] if number else None,
                            pipes[number] if number < last else None,
                        )
                    )
                    for number, command in enumerate(pipeline.commands)
                ]
            code = tasks[-1].result()
        return int(not code) if pipeline.negated else code

    async def _run_piped(
        self, command: SimpleCommand, before: "_Pipe | None", after: "_Pipe | None"
    ) -> int:
        try:
            return await self._run_command(
                command,
                before.read if before else self.stdin,
                after.write if after else self.stdout,
            )
        except _BrokenPipe:
            return _BROKEN_PIPE
        finally:
            if before is not None:
                before.stop()
            if after is not None:
                after.finish()

    async def _run_command(
        self, command: SimpleCommand, stdin: ReadBytes, stdout: WriteBytes
    ) -> int:
        words = [expanded for word in command.words for expanded in self._expand(word)]
        call = ProgramCall(words, stdin, stdout, self.stderr, self.system, self.stream)
        files: list[_FileSink] = []
        try:
            for redirect in command.redirects:
                target = "".join(self._expand(redirect.target)[:1])
                match redirect.how:
                    case "<":
                        data = [self.system.storage.read(target)]
                        call = replace(call, stdin=partial(_pop, data))
                    case "&":
                        source = {"1": call.stdout, "2": call.stderr}.get(target)
                        if source is None:
                            raise FileProblem(9, "Bad file descriptor")
                        call = _with_output(call, redirect.stream, source)
                    case _ if target in ("/dev/tty", "/dev/stdout"):
                        pass
                    case how:
                        sink = _FileSink(self.system, target, append=how == ">>")
                        files.append(sink)
                        call = _with_output(call, redirect.stream, sink.write)
        except FileProblem as problem:
            return await call.fail(f"{_SHELL}: can't open {target}: {problem}\n")
        if words[:1] in (["exec"], ["command"]):
            del words[0]
        if not words or words[0] == "export" or _ASSIGNED.match(words[0]):
            return 0
        name = words[0].rpartition("/")[2]
        if name == "exit":
            self.ended = True
            given = "".join(words[1:2])
            return int(given) & 255 if given.isascii() and given.isdigit() else self.code
        program = self.programs.get(name)
        if program is None:
            return await call.fail(f"{_SHELL}: {words[0]}: inaccessible or not found\n", _NOT_FOUND)
        code = await program(call)
        try:
            for file in files:
                file.close()
        except FileProblem as problem:
            return await call.fail(f"{words[0]}: write error: {problem}\n")
        return code

    def _expand(self, word: ShellWord) -> list[str]:
        """A word's text with its variables, or the files that it stands for."""
        text, pattern = "", ""
        for piece in word:
            value = self._variable(piece.text) if piece.variable else piece.text
            text += value
            pattern += re.sub(r"([*?\[])", r"[\1]", value) if piece.quoted else value
        wild = any(_WILD.search(p.text) for p in word if not p.quoted and not p.variable)
        if wild and (found := self._files(pattern)):
            return found
        if not text and not any(piece.quoted for piece in word):
            return []
        return [text]

    def _variable(self, name: str) -> str:
        return {
            "?": str(self.code),
            "EXTERNAL_STORAGE": "/sdcard",
            "HOME": "/",
            "PATH": "/system/bin",
            "TMPDIR": "/data/local/tmp",
            "USER": "shell",
        }.get(name, "")

    def _files(self, pattern: str) -> list[str]:
        folder = PurePosixPath(pattern).parent
        if _WILD.search(str(folder)):
            return []
        try:
            entries = self.system.storage.list(str(folder))
        except FileProblem:
            return []
        last = PurePosixPath(pattern).name
        return [str(folder / name) for name, _ in entries if fnmatchcase(name, last)]


async def _pop(data: list[bytes]) -> bytes:
    return data.pop() if data else b""


def _with_output(call: ProgramCall, stream: int, write: WriteBytes) -> ProgramCall:
    return replace(call, stderr=write) if stream == 2 else replace(call, stdout=write)


class _FileSink:
    """A program's output, kept until it exits."""

    def __init__(self, system: System, path: str, *, append: bool) -> None:
        self._system, self._path = system, path
        self._parts: list[bytes] = []
        if path == "/dev/null":
            return
        there = b""
        if append:
            try:
                there = system.storage.read(path)
            except FileProblem:
                there = b""
        self._keep(there)
        self._parts.append(there)

    async def write(self, data: bytes) -> None:
        if self._path != "/dev/null":
            self._parts.append(data)

    def close(self) -> None:
        if self._path != "/dev/null":
            self._keep(b"".join(self._parts))

    def _keep(self, data: bytes) -> None:
        self._system.storage.write(self._path, data, time_s=self._system.android.now_s)


class _BrokenPipe(StreamGone):
    """A pipe has no reader."""


class _Pipe:
    """What one program writes and the next one reads.

    It may hold all output of the first program, which is bounded by what the phone holds.
    """

    def __init__(self) -> None:
        self._queue: asyncio.Queue[bytes] = asyncio.Queue()
        self._stopped = False

    async def write(self, data: bytes) -> None:
        if self._stopped:
            raise _BrokenPipe
        if data:
            self._queue.put_nowait(data)

    async def read(self) -> bytes:
        data = await self._queue.get()
        if not data:
            self.finish()
        return data

    def stop(self) -> None:
        self._stopped = True

    def finish(self) -> None:
        self._queue.put_nowait(b"")
