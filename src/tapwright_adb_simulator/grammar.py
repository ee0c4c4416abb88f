"""A line for the phone's shell, taken apart: commands, pipes, redirections, quotes, variables.

A part of POSIX's shell grammar, as far as commands over adb use it. What would run a program inside
a word (`$(...)`, backquotes), in the background or in a group is a syntax error here: a client that
lets text reach the shell unquoted gets an error.
https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = [
    "Pipeline",
    "Redirect",
    "ShellSyntax",
    "ShellWord",
    "SimpleCommand",
    "WordPart",
    "parse_line",
    "programs_of",
]


class ShellSyntax(Exception):  # noqa: N818 - the client's mistake, printed on stderr
    """The line is not one that this shell understands."""


@dataclass(frozen=True, slots=True)
class WordPart:
    """A part of a word: its text, or the name of the variable that stands there."""

    text: str
    quoted: bool = False
    variable: bool = False


ShellWord: TypeAlias = tuple[WordPart, ...]
_After: TypeAlias = Literal["", "&&", "||"]


@dataclass(frozen=True, slots=True)
class Redirect:
    """Where a stream (0 to 2) goes to or comes from: a file, or with "&" another stream."""

    stream: int
    how: Literal["<", ">", ">>", "&"]
    target: ShellWord


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One program with its arguments."""

    words: tuple[ShellWord, ...]
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands joined by pipes; `after` is what the pipeline before must have done: "&&", "||"."""

    after: _After
    commands: tuple[SimpleCommand, ...]
    negated: bool = False


_OPERATOR = re.compile(r"(?:[012]?(?:>>|>&|>|<<|<&|<))|&&|\|\||[|&;()\n]")
_BLANK = re.compile(r"[ \t]+|\\\n")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[?$#0-9]")
_Token: TypeAlias = str | ShellWord
_AFTER: Mapping[str, _After] = {"&&": "&&", "||": "||"}


def parse_line(line: str) -> tuple[Pipeline, ...]:
    """The pipelines of a line or script, in order; none if it is empty.

    Raises:
        ShellSyntax: quotes do not close, or something stands where it may not, or is not known.
    """
    pipelines: list[Pipeline] = []
    after: _After = ""
    commands: list[SimpleCommand] = []
    current = _CommandBuilder()
    for token in [*_tokens(line), ";"]:
        if not isinstance(token, str) or token.endswith(("<", ">", "<&", ">&")):
            current.take(token)
            continue
        if token in ("&", "(", ")"):
            raise ShellSyntax(f"unexpected '{token}'")
        if current.empty:
            waits = bool(commands or after)
            if (token == "\n") or (token == ";" and not waits):
                continue
            raise ShellSyntax("unexpected 'newline'" if waits else f"unexpected '{token}'")
        commands.append(current.command())
        current = _CommandBuilder()
        if token != "|":
            pipelines.append(_pipeline(after, commands))
            commands, after = [], _AFTER.get(token, "")
    return tuple(pipelines)


def programs_of(line: str) -> list[str]:
    """Each program of a line with its words, as if it stood alone; none if the line is not one."""
    try:
        pipelines = parse_line(line)
    except ShellSyntax:
        return []
    texts = [
        " ".join("".join(piece.text for piece in word) for word in command.words)
        for pipeline in pipelines
        for command in pipeline.commands
    ]
    return [text.removeprefix("exec ") for text in texts]


def _pipeline(after: _After, commands: list[SimpleCommand]) -> Pipeline:
    first = commands[0]
    negated = len(first.words) > 1 and first.words[0] == (WordPart("!"),)
    if negated:
        commands[0] = SimpleCommand(first.words[1:], first.redirects)
    return Pipeline(after, tuple(commands), negated)


class _CommandBuilder:
    """Collects the parts of one command."""

    def __init__(self) -> None:
        self._words: list[ShellWord] = []
        self._redirects: list[Redirect] = []
        self._open: str = ""

    @property
    def empty(self) -> bool:
        return not (self._words or self._redirects or self._open)

    def take(self, token: _Token) -> None:
        if isinstance(token, str):
            if self._open or token.endswith(("<<", "<&")):
                raise ShellSyntax(f"unexpected '{token}'")
            self._open = token
        elif self._open:
            self._redirects.append(_redirect(self._open, token))
            self._open = ""
        else:
            self._words.append(token)

    def command(self) -> SimpleCommand:
        if self._open:
            raise ShellSyntax("unexpected 'newline'")
        return SimpleCommand(tuple(self._words), tuple(self._redirects))


def _redirect(operator: str, target: ShellWord) -> Redirect:
    bare = operator.lstrip("012")
    stream = int(operator[0]) if operator[0] in "012" else int(bare[0] == ">")
    match bare:
        case "<" | ">" | ">>":
            return Redirect(stream, bare, target)
    return Redirect(stream, "&", target)


def _tokens(line: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while at < len(line):
        if blank := _BLANK.match(line, at):
            at = blank.end()
        elif line[at] == "#":
            end = line.find("\n", at)
            at = len(line) if end < 0 else end
        elif operator := _OPERATOR.match(line, at):
            tokens.append(operator[0])
            at = operator.end()
        else:
            word, at = _word(line, at)
            tokens.append(word)
    return tokens


def _word(line: str, at: int) -> tuple[ShellWord, int]:
    """The word that begins at `at`, and where it ends."""
    pieces: list[WordPart] = []
    while at < len(line) and line[at] not in " \t\n|&;()<>":
        char = line[at]
        if char == "'":
            end = line.find("'", at + 1)
            if end < 0:
                raise ShellSyntax("no closing quote")
            pieces.append(WordPart(line[at + 1 : end], quoted=True))
            at = end + 1
        elif char == '"':
            at = _double_quoted(line, at + 1, pieces)
        elif char == "\\":
            if line[at + 1 : at + 2] != "\n":
                pieces.append(WordPart(line[at + 1 : at + 2], quoted=True))
            at += 2
        elif char in "$`":
            piece, at = _expansion(line, at, quoted=False)
            pieces.append(piece)
        else:
            start = at
            while at < len(line) and line[at] not in " \t\n|&;()<>'\"\\$`":
                at += 1
            pieces.append(WordPart(line[start:at]))
    return tuple(pieces), at


def _double_quoted(line: str, at: int, pieces: list[WordPart]) -> int:
    text = ""
    while True:
        char = line[at : at + 1]
        if not char:
            raise ShellSyntax("no closing quote")
        if char == '"':
            pieces.append(WordPart(text, quoted=True))
            return at + 1
        if char == "\\" and line[at + 1 : at + 2] in ("$", "`", '"', "\\", "\n"):
            text += line[at + 1].replace("\n", "")
            at += 2
        elif char in "$`":
            piece, at = _expansion(line, at, quoted=True)
            pieces += [WordPart(text, quoted=True), piece]
            text = ""
        else:
            text += char
            at += 1


def _expansion(line: str, at: int, *, quoted: bool) -> tuple[WordPart, int]:
    following = line[at + 1 : at + 2]
    if line[at] == "`" or following == "(":
        raise ShellSyntax("a program inside a word is not run by this phone; quote the text")
    braces = following == "{"
    name = _NAME.match(line, at + 1 + braces)
    if name is None:
        if braces:
            raise ShellSyntax("unexpected '${'")
        return WordPart("$", quoted=quoted), at + 1
    end = name.end()
    if braces:
        if line[end : end + 1] != "}":
            raise ShellSyntax("unexpected '${'")
        end += 1
    return WordPart(name[0], quoted=quoted, variable=True), end
