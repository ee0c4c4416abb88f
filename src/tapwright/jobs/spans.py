"""Spans of OpenTelemetry, for runs of a process in which it is set up; else nothing is done.

Whoever wants them sets up OpenTelemetry's SDK, as `opentelemetry-instrument tapwright …` does; what
nobody has imported is not imported here. An episode is `invoke_agent`, its steps are below it, and
below each the requests of its models, `chat`, by the semantic conventions for generative AI
(https://github.com/open-telemetry/semantic-conventions/tree/v1.37.0/docs/gen-ai). No word of a
prompt, a screen or an answer is in them.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Protocol, TypeAlias

__all__ = ["Span", "Told", "span"]

Told: TypeAlias = Mapping[str, str | int | float | bool]


class Span(Protocol):
    """What can be told of a span while it lasts."""

    def set_attributes(self, attributes: Any, /) -> None:
        """Tell more of it."""


class _Nothing:
    def set_attributes(self, attributes: object, /) -> None:
        pass


_NOTHING: AbstractContextManager[Span] = nullcontext(_Nothing())


def span(name: str, told: Told, *, is_request: bool = False) -> AbstractContextManager[Span]:
    """A span while the block lasts; an error that ends the block is its error."""
    trace = sys.modules.get("opentelemetry.trace")
    return _NOTHING if trace is None else _begin(trace, name, told, is_request=is_request)


@contextmanager
def _begin(trace: Any, name: str, told: Told, *, is_request: bool) -> Iterator[Span]:
    kind = trace.SpanKind.CLIENT if is_request else trace.SpanKind.INTERNAL
    tracer = trace.get_tracer("tapwright")
    with tracer.start_as_current_span(
        name, kind=kind, attributes=told,
        record_exception=False, set_status_on_exception=False,  # a message may quote an answer
    ) as begun:  # fmt: skip
        try:
            yield begun
        except BaseException as error:
            begun.set_attributes({"error.type": getattr(error, "code", type(error).__name__)})
            begun.set_status(trace.StatusCode.ERROR)
            raise
