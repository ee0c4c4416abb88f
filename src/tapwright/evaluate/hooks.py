"""Functions of one's own for the stages of the pipeline, called as MMBench-GUI calls its hooks.

    build(line, dataset=name) -> [{"role", "type": "text" | "image", "value"}, …]
    preprocess(message, None, None, dataset_name=name, …) -> the same kind of list
    generate(messages) -> text, or an awaitable of it; messages in the chat API's shape
    postprocess(text, None, None, dataset_name=name, …) -> text
    parse(text, meta=line) -> a letter, two numbers, or None

`name` is that of MMBench-GUI's data set (`dataset_name`); beside it stand the `kwargs` of a model's
entry in its config file (`hook_kwargs` of a plan), as models/base.py passes them. A function that
does not take one of these does not get it. `line` is the sample as a row (`sample_line`); `parse`
gets it as it comes back from the table of answers (`table_line`). Follows
`utils/inference_tools.py`, `models/base.py` and `benchmarks/l2_element_grounding.py` of
https://github.com/open-compass/MMBench-GUI/tree/896ddf1; there, a function that fails is a wrong
answer, here it is an error of its own, and the model's answer is kept. What is right is not in a
line, and `image_path` is absolute.
"""

import inspect
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import TypeAlias

from pydantic import JsonValue

from tapwright.benchmarks.benchmark import Sample, StaticSample
from tapwright.benchmarks.understanding import ChoiceQuestion
from tapwright.core.messages import Message, Part, Picture, Role, Text
from tapwright.core.screenshot import Screenshot
from tapwright.evaluate.errors import HookError
from tapwright.files.regular import read_regular
from tapwright.plugins.registry import Registry

__all__ = [
    "FAULTS",
    "NO_HOOKS",
    "READING_STAGES",
    "STAGES",
    "PipelineHook",
    "ReadingHooks",
    "api_messages",
    "dataset_name",
    "flat_messages",
    "load_hook",
    "sample_line",
    "table_line",
]

STAGES = ("build", "preprocess", "generate", "postprocess", "parse")
READING_STAGES = ("postprocess", "parse")
HookLine: TypeAlias = dict[str, JsonValue]

stages: Registry[Callable[..., object]] = Registry("stages", "pipeline stage", {})
"""Other packages add functions by name, under the entry-point group `tapwright.stages`."""

_ROLES: tuple[Role, ...] = ("system", "user", "assistant")
_DATASETS = {"l1": "GUIContentUnderstanding", "l2": "GUIElementGrounding"}
# What somebody else's code raises when it is wrong; running out of memory is not its fault.
FAULTS = (
    ArithmeticError, AssertionError, AttributeError, EOFError, ImportError, LookupError, NameError,
    OSError, RuntimeError, TypeError, ValueError,
)  # fmt: skip
# A hook is one function, and all that it raises is its own: libraries have errors of any kind.
_ANY_FAULT: tuple[type[Exception], ...] = (Exception,)


@dataclass(frozen=True, slots=True)
class PipelineHook:
    """A function for the stage `stage`, and how it was named."""

    stage: str
    path: str
    function: Callable[..., object]

    def __call__(self, *args: object, **named: object) -> object:
        """What the function returns.

        Raises:
            HookError: it failed.
        """
        try:
            return self.function(*args, **named)
        except MemoryError:
            raise
        except _ANY_FAULT as error:
            raise HookError(self._failed(error)) from error

    def taken(self, named: Mapping[str, object]) -> Mapping[str, object]:
        """Those of the named arguments that the function takes."""
        try:
            parameters = inspect.signature(self.function).parameters
        except (TypeError, ValueError):  # a function of a C library need not have one
            return {}
        if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
            return named
        return {name: value for name, value in named.items() if name in parameters}

    async def awaited(self, *args: object) -> object:
        """What the function returns, waited for if that is to be awaited.

        Raises:
            HookError: the function failed, whatever it raised.
        """
        found = self(*args)
        if not inspect.isawaitable(found):
            return found
        try:
            awaited: object = await found
        except MemoryError:
            raise
        except _ANY_FAULT as error:
            raise HookError(self._failed(error)) from error
        return awaited

    def wrong(self, found: object, expected: str) -> HookError:
        """The error that it returned something else than `expected`."""
        return HookError(f"{self.stage} {self.path}: returned {found!r:.200}; expected {expected}")

    def _failed(self, error: Exception) -> str:
        why = f": {error}" if str(error) else ""
        return f"{self.stage} {self.path}: {type(error).__name__}{why}"


@dataclass(frozen=True, slots=True)
class ReadingHooks:
    """The user's functions that read answers: what stands in a run log never loads them."""

    postprocess: PipelineHook | None = None
    parse: PipelineHook | None = None

    @classmethod
    def load(cls, postprocess: str, parse: str) -> "ReadingHooks":
        """Import the functions of these paths; an empty path is no function.

        The paths must come from this user, such as a command line, and never from a file that
        somebody else may have written.

        Raises:
            HookError: one cannot be loaded.
        """
        return cls(load_hook("postprocess", postprocess), load_hook("parse", parse))

    def check(self, postprocess: str, parse: str) -> None:
        """Check that these are the functions that a plan names.

        Raises:
            HookError: the plan names others.
        """
        for stage, path, hook in (
            ("postprocess", postprocess, self.postprocess),
            ("parse", parse, self.parse),
        ):
            given = "" if hook is None else hook.path
            if given != path:
                raise HookError(
                    f"{stage} {path or 'none'}: the plan names it, given is {given or 'none'}",
                    hint=f"a function that a log names is never imported by itself; "
                    f"give it: --hook {stage}={path}",
                )


NO_HOOKS = ReadingHooks()


def load_hook(stage: str, path: str) -> PipelineHook | None:
    """The function that a dotted path ("package.module.function") or a plug-in's name means.

    None for no path: the stage is then tapwright's own.

    Raises:
        HookError: there is no such function.
        UnknownNameError: no plug-in has this name.
    """
    if not path:
        return None
    if "." not in path and ":" not in path:
        return PipelineHook(stage, path, stages.get(path))
    module, _, name = path.partition(":") if ":" in path else path.rpartition(".")
    try:
        function = attrgetter(name)(import_module(module))
    except MemoryError:
        raise
    except _ANY_FAULT as error:  # its module runs now
        raise HookError(
            f"{stage} {path}: {type(error).__name__}: {error}",
            hint="the module must be installed, or lie where the command is started",
        ) from error
    if not callable(function):
        raise HookError(f"{stage} {path}: a {type(function).__name__}, not a function")
    return PipelineHook(stage, path, function)


def dataset_name(benchmark: str) -> str:
    """MMBench-GUI's name for the data of a benchmark; others keep their own."""
    return _DATASETS.get(benchmark, benchmark)


def sample_line(sample: Sample) -> HookLine:
    """A sample as a row of MMBench-GUI's annotations, without what is right."""
    line: HookLine = {"index": sample.id, **sample.labels, "instruction": sample.instruction}
    if "app" in sample.labels:
        line["app_name"] = sample.labels["app"]
    if isinstance(sample, StaticSample):
        line |= {
            "image_path": str(sample.picture.absolute()),
            "image_size": [sample.size.width, sample.size.height],
        }
    if isinstance(sample, ChoiceQuestion):
        line |= {"question": sample.instruction, "options": dict(sample.options)}
    return line


def table_line(sample: Sample, answer: str) -> HookLine:
    """The row beside its answer, where lists and tables have become text, as in a spreadsheet."""
    line = {
        name: value if isinstance(value, str) else str(value)
        for name, value in sample_line(sample).items()
    }
    return {**line, "prediction": answer}


def flat_messages(messages: Sequence[Message]) -> list[HookLine]:
    """Messages as the flat list that hooks read; a picture is its file's path."""
    return [
        {"role": message.role, "type": "text", "value": part.text}
        if isinstance(part, Text)
        else {"role": message.role, "type": "image", "value": part.screenshot.origin}
        for message in messages
        for part in message.parts
        if isinstance(part, Text | Picture)
    ]


def read_flat(hook: PipelineHook, found: object, known: Mapping[str, Screenshot]) -> list[Message]:
    """What a hook returned as messages; neighbours of one role become one.

    `known` are pictures by path that need not be read again.

    Raises:
        HookError: it is not such a list, or names a picture that cannot be read.
    """
    expected = 'a list of {"role", "type": "text" | "image", "value"}'
    if not isinstance(found, list) or not found:
        raise hook.wrong(found, expected)
    turns: list[tuple[Role, list[Part]]] = []
    for entry in found:
        match entry:
            case {"role": str() as given_role, "type": "text", "value": str() as text}:
                part: Part = Text(text)
            case {"role": str() as given_role, "type": "image", "value": str() as place}:
                part = Picture(known.get(place) or _picture(hook, place))
            case _:
                raise hook.wrong(entry, expected)
        role = next((one for one in _ROLES if one == given_role), None)
        if role is None:
            raise hook.wrong(entry, f"a role among {', '.join(_ROLES)}")
        if turns and turns[-1][0] == role:
            turns[-1][1].append(part)
        else:
            turns.append((role, [part]))
    return [Message(role, tuple(parts)) for role, parts in turns]


def api_messages(messages: Sequence[Message]) -> list[HookLine]:
    """Messages in the chat API's shape: content is a list of parts, pictures are data URLs."""
    return [
        {"role": message.role, "content": [_api_part(part) for part in message.parts]}
        for message in messages
    ]


def data_url(shot: Screenshot) -> str:
    """The bytes of a picture, under their true type, as an address."""
    return f"data:{shot.media_type};base64,{b64encode(shot.data).decode()}"


def _api_part(part: Part) -> JsonValue:
    match part:
        case Text(text=text):
            return {"type": "text", "text": text}
        case Picture(screenshot=shot):
            return {"type": "image_url", "image_url": {"url": data_url(shot)}}
        case _:
            raise HookError(f"{type(part).__name__}: no part of a benchmark's prompt")


def _picture(hook: PipelineHook, place: str) -> Screenshot:
    try:
        if place.startswith("data:"):
            return Screenshot(b64decode(place.partition(",")[2], validate=True), origin=hook.path)
        return Screenshot(read_regular(Path(place.removeprefix("file://"))), origin=place)
    except (OSError, Base64Error) as error:
        raise HookError(f"{hook.stage} {hook.path}: picture {place:.200}: {error}") from error
