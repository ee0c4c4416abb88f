"""What is known of a suite: its program, whose Python runs it, and what its tasks need."""

from dataclasses import dataclass, field
from importlib.resources import files as resources
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

__all__ = ["Harness", "SuiteSource", "program_path"]

_admitted: set[str] = set()


@dataclass(frozen=True, slots=True)
class Harness:
    """A suite with its own harness, which its `program` drives in the suite's own Python.

    `device` is the kind that its tasks are played on, as `--device` takes it. `repository` and
    `commit` are what `tapwright suites install` brings, with the packages of `requirements`; a
    suite without either is installed by the user. `python` is the version that packages are for.
    `options` are what a source may say, by name, with what each is. `needs` says what else a user
    must have, and `secrets` are the variables of `core.secret_destinations` that its program is
    given.
    """

    name: str
    title: str
    program: Path
    device: str
    home: str = ""
    licence: str = ""
    repository: str = ""
    commit: str = ""
    requirements: tuple[str, ...] = ()
    python: str = ""
    options: dict[str, str] = field(default_factory=dict)
    needs: str = ""
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SuiteSource:
    """Where a suite's own code is: the Python that has it, and options for its program.

    As text "PYTHON?name=value&name=value", which run logs keep. A log may be somebody else's, and
    its Python a program of theirs: only what was admitted is started.
    """

    python: str = ""
    options: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> "SuiteSource":
        """The source that a text names."""
        python, _, options = text.partition("?")
        return cls(python, dict(parse_qsl(options, keep_blank_values=True)))

    def admit(self) -> None:
        """Let it be started: whoever runs the command named it, or installed it."""
        _admitted.add(str(self))

    @property
    def is_admitted(self) -> bool:
        """Whether it may be started."""
        return str(self) in _admitted

    def __str__(self) -> str:
        return self.python + (f"?{urlencode(self.options)}" if self.options else "")


def program_path(name: str) -> Path:
    """The path of a program of this package."""
    return Path(str(resources("tapwright.harnesses") / f"programs/{name}.py"))
