"""Requests and answers of OSWorld's protocol, and what the JSON of each request holds."""

import json
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue

__all__ = [
    "Answer", "CodeBody", "CommandBody", "GuestError", "PathBody", "Request", "ScriptBody",
    "Verification", "VerifiedBody", "WindowBody", "read_form",
]  # fmt: skip


class GuestError(Exception):
    """A request that cannot be answered as it is; `status` is HTTP's."""

    def __init__(self, message: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """A request: method and path, the kind of its body, and the body."""

    what: str
    kind: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of HTTP."""

    data: bytes
    kind: str
    status: HTTPStatus = HTTPStatus.OK

    @classmethod
    def of_text(cls, text: str, status: HTTPStatus = HTTPStatus.OK) -> "Answer":
        """A text for people."""
        return cls(text.encode("utf-8", "replace"), "text/html; charset=utf-8", status)

    @classmethod
    def of_json(cls, value: JsonValue, status: HTTPStatus = HTTPStatus.OK) -> "Answer":
        """A value for programs."""
        return cls(json.dumps(value).encode(), "application/json", status)

    @classmethod
    def of_error(cls, message: str, status: HTTPStatus) -> "Answer":
        """What went wrong, in the words that OSWorld's clients look for."""
        return cls.of_json({"status": "error", "message": message, "error": message}, status)


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class CommandBody(_Body):
    """A command, a text for the shell or words."""

    command: str | list[str] = ""
    shell: bool = False


class Verification(_Body):
    """What is to be so after a command."""

    window_exists: str = ""
    command_success: str | list[str] = ""


class VerifiedBody(CommandBody):
    """A command with what is to be so after it."""

    verification: Verification = Verification()
    max_wait_time: Annotated[float, Field(ge=0, le=600)] = 10
    check_interval: Annotated[float, Field(ge=0.01, le=60)] = 1


class CodeBody(_Body):
    """Python."""

    code: str


class ScriptBody(_Body):
    """A script of bash, its limit in seconds, and its folder."""

    script: str
    timeout: Annotated[float, Field(gt=0, le=3600)] = 30
    working_dir: str | None = None


class PathBody(_Body):
    """A file or folder."""

    path: str


class WindowBody(_Body):
    """A window by its title, or by its class."""

    window_name: str
    strict: bool = False
    by_class: bool = False


_BOUNDARY = re.compile(r'boundary="?([^";]{1,200})"?')
_NAME = re.compile(rb'\bname="([^"]*)"', re.IGNORECASE)


def read_form(kind: str, body: bytes) -> dict[str, bytes]:
    """The fields by their names, as they were sent; none if `kind` is no such form."""
    found = _BOUNDARY.search(kind)
    if found is None or not kind.startswith("multipart/form-data"):
        return {}
    fields = {}
    for part in (b"\r\n" + body).split(b"\r\n--" + found[1].encode())[1:]:
        head, gap, content = part.partition(b"\r\n\r\n")
        name = _NAME.search(head)
        if gap and name is not None:
            fields[name[1].decode("utf-8", "replace")] = content
    return fields
