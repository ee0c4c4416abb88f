"""Which secret may go where: the one table of them, and who must have named the address.

What a stranger's file names (a run that was downloaded, a `tapwright.toml` that nobody trusted)
gets none. A provider's own host gets its key unasked; another host gets it when the user named that
host for this provider's models, on the command line, in its variable, or in a file of theirs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal, TypeAlias

__all__ = [
    "ANTHROPIC_KEY", "DESKTOP_PASSWORD", "DEVICE_TOKEN", "GEMINI_KEY", "GROUNDER_KEY", "HUB_TOKEN",
    "OPENAI_KEY", "PLANNER_KEY", "SECRETS", "Destination", "NamedBy", "Secret", "of_variable",
    "without_secrets",
]  # fmt: skip

Kind: TypeAlias = Literal["model", "hub", "device", "storage"]


class NamedBy(Enum):
    """Who named an address."""

    ARGUMENT = auto()
    """This command line, or the `tapwright.toml` that the user made or trusted."""
    FILE = auto()
    """A file that this command line names, such as `--config FILE`."""
    ENVIRONMENT = auto()
    """The variable for this secret's servers, such as ANTHROPIC_BASE_URL."""
    EVERY_MODEL = auto()
    """TAPWRIGHT_BASE_URL, which is for models of whatever provider."""
    PROVIDER = auto()
    """Nobody: the client's own default."""
    STRANGER = auto()
    """A file that was given to the user, such as the log of a run."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Addresses of one kind, with blanks between them, and who named them."""

    url: str
    named_by: NamedBy


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret: the variables that hold it, the kind of server it is for, and who may name one.

    `hosts` are the provider's own, which get it over https whoever names them.
    """

    variables: tuple[str, ...]
    kind: Kind
    named_by: frozenset[NamedBy]
    hosts: tuple[str, ...] = ()

    def read(self, variables: Mapping[str, str]) -> str:
        """Its value in an environment, "" for none."""
        return next(filter(None, (variables.get(name, "") for name in self.variables)), "")

    def may_go_to(self, to: Destination) -> bool:
        """Whether every address of a destination may get it."""
        return to.named_by in self.named_by or (
            bool(to.url.strip()) and all(map(self._is_own, to.url.split()))
        )

    def _is_own(self, url: str) -> bool:
        scheme, _, rest = url.partition("://")
        return scheme == "https" and rest.partition("/")[0] in self.hosts


_NAMED = frozenset({NamedBy.ARGUMENT, NamedBy.FILE, NamedBy.ENVIRONMENT})
_VARIABLE = frozenset({NamedBy.ENVIRONMENT})
_TYPED = frozenset({NamedBy.ARGUMENT})

OPENAI_KEY = Secret(
    ("OPENAI_API_KEY",), "model", _NAMED | {NamedBy.EVERY_MODEL}, ("api.openai.com",)
)
ANTHROPIC_KEY = Secret(("ANTHROPIC_API_KEY",), "model", _NAMED, ("api.anthropic.com",))
GEMINI_KEY = Secret(
    ("GEMINI_API_KEY", "GOOGLE_API_KEY"), "model", _NAMED, ("generativelanguage.googleapis.com",)
)
GROUNDER_KEY = Secret(("TAPWRIGHT_GROUNDER_KEY",), "model", _VARIABLE)
PLANNER_KEY = Secret(("TAPWRIGHT_PLANNER_KEY",), "model", _VARIABLE)
HUB_TOKEN = Secret(("HF_TOKEN",), "hub", _VARIABLE, ("huggingface.co",))
DEVICE_TOKEN = Secret(("TAPWRIGHT_TOKEN",), "device", _TYPED)
DESKTOP_PASSWORD = Secret(("TAPWRIGHT_VNC_PASSWORD",), "device", _TYPED)
_STORAGE = Secret(  # read by fsspec's own clients, for a URL of the command line
    ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS",
     "AZURE_STORAGE_KEY", "AZURE_STORAGE_CONNECTION_STRING"), "storage", _TYPED,
)  # fmt: skip

SECRETS = (
    OPENAI_KEY, ANTHROPIC_KEY, GEMINI_KEY, GROUNDER_KEY, PLANNER_KEY, HUB_TOKEN, DEVICE_TOKEN,
    DESKTOP_PASSWORD, _STORAGE,
)  # fmt: skip


def of_variable(name: str) -> Secret:
    """The secret of a variable; an unknown one is of a model that only the user has named."""
    known = (secret for secret in SECRETS if name in secret.variables)
    return next(known, Secret((name,), "model", frozenset(NamedBy) - {NamedBy.STRANGER}))


def without_secrets(variables: Mapping[str, str], *kept: str) -> dict[str, str]:
    """An environment for a program of others: without our secrets but those that it needs."""
    held = {name for secret in SECRETS for name in secret.variables} - {*kept}
    return {name: value for name, value in variables.items() if name not in held}
