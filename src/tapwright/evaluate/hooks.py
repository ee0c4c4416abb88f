"""Functions of one's own for the stages of the pipeline, called as MMBench-GUI calls its hooks.

    build(line, dataset=name) -> [{"role", "type": "text" | "image" | "audio", "value"}, …]
    preprocess(message, model, processor, dataset_name=name, …) -> the same kind of list, the chat
        API's messages, or, of a local model, what its `generate` is given
    generate(messages) -> text, or an awaitable of it; messages in the chat API's shape
    postprocess(outputs, model, processor, dataset_name=name, …) -> text
    parse(text, meta=line) -> a letter, two numbers, or None

A local model (`-m transformers/DIR`) is handed to its functions with its processor, and `outputs`
are the ids that it generated, those of the prompt before them; behind an API both are None and
`outputs` is the answer's text.

`name` is that of MMBench-GUI's data set (`dataset_name`); beside it stand the `kwargs` of a model's
entry in its config file (`hook_kwargs` of a plan), as models/base.py passes them. A function that
does not take one of these does not get it. `line` is the sample as a row (`sample_line`); `parse`
gets it as it comes back from the table of answers (`table_line`). A method without its class gets,
for `self`, an object with `dump_image`. Follows
`utils/inference_tools.py`, `models/base.py` and `benchmarks/l2_element_grounding.py` of
https://github.com/open-compass/MMBench-GUI/tree/896ddf1; there, a function that fails is a wrong
answer, here it is an error of its own, and the model's answer is kept. What is right is not in a
line, and `image_path` is absolute.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from operator import attrgetter
from typing import TypeAlias

from pydantic import JsonValue

from tapwright.benchmarks.benchmark import Sample, StaticSample
from tapwright.benchmarks.understanding import ChoiceQuestion
from tapwright.core.registry import Registry
from tapwright.evaluate.errors import HookError

__all__ = [
    "FAULTS", "NO_HOOKS", "READING_STAGES", "STAGES", "HookLine", "PipelineHook", "ReadingHooks",
    "call_postprocess", "dataset_name", "load_hook", "sample_line", "table_line",
]  # fmt: skip

STAGES = ("build", "preprocess", "generate", "postprocess", "parse")
READING_STAGES = ("postprocess", "parse")
HookLine: TypeAlias = dict[str, JsonValue]

stages: Registry[Callable[..., object]] = Registry("stages", "pipeline stage", {})
"""Other packages add functions by name, under the entry-point group `tapwright.stages`."""

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

    def call(self, *args: object, **named: object) -> object:
        """What the function returns, given those of the named arguments that it takes.

        Raises:
            HookError: it failed.
        """
        return self(*args, **self._taken(named))

    def _taken(self, named: Mapping[str, object]) -> Mapping[str, object]:
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
        shown = " ".join(repr(found).split())
        return HookError(f"{self.stage} {self.path}: returned {shown:.200}; expected {expected}")

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
    return PipelineHook(stage, path, _as_method(function))


class _Wrapper:
    """What stands for `self` in a method of the original's: its pictures lie where they are."""

    def dump_image(self, line: Mapping[str, JsonValue]) -> JsonValue:
        """The path of a sample's picture."""
        return line["image_path"]


def _as_method(function: Callable[..., object]) -> Callable[..., object]:
    """The function, or a method without its object with one."""
    try:
        first = next(iter(inspect.signature(function).parameters), "")
    except (TypeError, ValueError):  # a function of a C library need not have one
        return function
    return partial(function, _Wrapper()) if first == "self" else function


def call_postprocess(
    hook: PipelineHook,
    outputs: object,
    model: object,
    processor: object,
    *,
    named: Mapping[str, JsonValue],
) -> str:
    """The text that a postprocess function makes of what came back.

    Raises:
        HookError: it failed, or made no text.
    """
    found = hook.call(outputs, model, processor, **named)
    if not isinstance(found, str):
        raise hook.wrong(found, "text")
    return found


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
