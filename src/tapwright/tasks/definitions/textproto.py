"""Reads and writes task definitions in the text format of protocol buffers.

Files written for Mobile-Env load unchanged; `tasks/task.proto` has their fields.
"""

import re
import warnings
from pathlib import Path

from google.protobuf import text_format

from tapwright.errors import suggest
from tapwright.tasks.errors import BadDefinitionError
from tapwright.tasks.task_pb2 import Task
from tapwright.tasks.text_file import read_text_file

__all__ = ["format_task", "parse_task", "parse_text", "read_task"]

_NO_FIELD = re.compile(r'Message type "tapwright\.tasks\.([\w.]+)" has no field named "(\w+)"')
_NO_VALUE = re.compile(r'Enum type "tapwright\.tasks\.([\w.]+)" has no value named (\w+)')


def read_task(path: Path) -> Task:
    """Reads the definition in a file.

    Raises:
        BadDefinitionError: it cannot be read, is too large, or is invalid; names line and column.
    """
    return parse_task(read_text_file(path, "task definition", BadDefinitionError), origin=str(path))


def parse_task(text: str, *, origin: str = "a task definition") -> Task:
    """Parses a definition; `origin` names it in errors.

    Raises:
        BadDefinitionError: it is invalid; names line and column.
    """
    task = Task()
    try:
        parse_text(text, task)
    except text_format.ParseError as error:
        message = str(error)
        line, column = error.GetLine(), error.GetColumn()
        if line is None:
            raise BadDefinitionError(f"{origin}: {message}") from error
        place = f"{line}:{column} : "
        what = message.removeprefix(place).rstrip(".")
        raise BadDefinitionError(
            f"{origin}, line {line}, column {column}: {_short(what)}", hint=_suggest_name(message)
        ) from error
    except RecursionError as error:
        raise BadDefinitionError(f"{origin}: nested too deeply to be a task") from error
    except UnicodeEncodeError as error:
        raise BadDefinitionError(f"{origin}: half a character, which has no UTF-8") from error
    return task


def parse_text(text: str, task: Task) -> None:
    r"""Merge a text into a task, as protobuf does; it takes `\.` for these two characters.

    Raises:
        text_format.ParseError: it is not a task definition.
    """
    if "\\" not in text:
        text_format.Parse(text, task)
        return
    with warnings.catch_warnings():
        # Regular expressions rely on it, and Python warns of it.
        warnings.filterwarnings("ignore", ".*invalid escape sequence", DeprecationWarning)
        text_format.Parse(text, task)


def format_task(task: Task) -> str:
    """Renders a definition as text that `parse_task` reads back; the same every time."""
    return text_format.MessageToString(task, as_utf8=True)


def _short(what: str) -> str:
    what = what.replace("tapwright.tasks.", "")
    return what if len(what) <= 300 else f"{what[:297]}..."


def _suggest_name(message: str) -> str:
    """Suggests a field or value of a similar name, where one is unknown."""
    pool = Task.DESCRIPTOR.file.pool
    if match := _NO_FIELD.search(message):
        fields = pool.FindMessageTypeByName(f"tapwright.tasks.{match[1]}").fields
        known = [field.name for field in fields]
    elif match := _NO_VALUE.search(message):
        values = pool.FindEnumTypeByName(f"tapwright.tasks.{match[1]}").values
        known = [value.name for value in values]
    else:
        return "every { needs its }, every text its quotes; a backslash in a text is written \\\\"
    return suggest(match[2], known)
