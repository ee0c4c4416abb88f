"""One table says which secret may go where, and nothing reads an environment past it."""

import ast
import asyncio
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tapwright.core.messages import Message, Text
from tapwright.core.secret_destinations import (
    ANTHROPIC_KEY,
    HUB_TOKEN,
    OPENAI_KEY,
    SECRETS,
    Destination,
    NamedBy,
    Secret,
    of_variable,
    without_secrets,
)
from tapwright.errors import ModelError, UsageError
from tapwright.workflows.host import HostConfig, ModelOptions
from tapwright.workflows.models import open_model
from tests.models.test_provider_wires import ProviderServer
from tests.scripts import ROOT

SOURCE = ROOT / "src/tapwright"
EVIL = "https://evil.example/v1"
LOOKS_SECRET = re.compile(r"KEY$|TOKEN|SECRET|PASSW|_PWD|CREDENTIAL")
# Programs of suites run in other Pythons, with what `Harness.secrets` lets through; the server's
# own token is compared, not sent.
ASKS_ITSELF = {
    "harnesses/programs/browsergym_suite.py": {"_KEY"},
    "devices/osworld/programs/pyautogui.py": {"TAPWRIGHT_INPUT"},
    "cli/serve.py": {"TAPWRIGHT_TOKEN"},
}
# They hand an environment on: to the table's reader, or what of it a program may have.
HANDS_ON = {
    "cli/host.py", "devices/chromium.py", "harnesses/worker.py", "harnesses/install.py",
    "harnesses/programs/osworld_suite.py", "sites/home.py",
}  # fmt: skip
SPELLINGS = [
    "https://api.openai.com.evil.example/v1", "https://evil.example/api.openai.com/v1",
    "https://api.openai.com@evil.example/v1", "http://api.openai.com/v1",
    "https://api.openai.com:8443/v1", "https://xapi.openai.com/v1", "https://[api.openai.com",
    "https://api.openai.com\\.evil.example/v1", "https://api.openai.com#@evil.example",
    "https://api.openai.com/v1 https://evil.example/v1", "", " ",
]  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS, ids=lambda one: one.variables[0])
@pytest.mark.parametrize("named_by", NamedBy)
def test_a_secret_goes_only_where_its_row_says(secret: Secret, named_by: NamedBy) -> None:
    found = HostConfig(dict.fromkeys(secret.variables, "hidden-0123456789"))
    told = bool(found.secret(secret, Destination(EVIL, named_by)))
    assert told == (named_by in secret.named_by)
    assert not told or named_by not in (NamedBy.STRANGER, NamedBy.PROVIDER)
    for host in secret.hosts:
        assert found.secret(secret, Destination(f"https://{host}/v1", named_by))


@pytest.mark.parametrize("url", SPELLINGS)
def test_no_other_spelling_passes_for_the_providers_host(url: str) -> None:
    assert not OPENAI_KEY.may_go_to(Destination(url, NamedBy.STRANGER))


def test_the_key_of_one_provider_does_not_go_to_the_server_of_every_model() -> None:
    host = HostConfig({"TAPWRIGHT_BASE_URL": EVIL, "ANTHROPIC_API_KEY": "hidden-0123456789"})
    with pytest.raises(UsageError, match="ANTHROPIC_API_KEY is not sent to https://evil"):
        open_model("anthropic/claude", host)
    named = HostConfig({**host.variables, "TAPWRIGHT_BASE_URL": "", "ANTHROPIC_BASE_URL": EVIL})
    for chosen in (named, host.with_models(ModelOptions(EVIL))):
        open_model("anthropic/claude", chosen)
        assert chosen.secret(ANTHROPIC_KEY, chosen.server("anthropic"))


def test_a_file_names_keys_of_models_alone_and_no_other_takes_the_place_of_one_that_is_unset() -> (
    None
):
    host = HostConfig({"HF_TOKEN": "hidden-0123456789", "OPENAI_API_KEY": "hidden-0123456789"})
    named = Destination(EVIL, NamedBy.FILE)
    with pytest.raises(UsageError, match="HF_TOKEN is no key of a model"):
        open_model("openai/m", host, server=named, key_variable="HF_TOKEN")
    with (
        pytest.raises(ModelError, match="needs an API key"),
        pytest.warns(UserWarning, match="UNSET_API_KEY is unset, so no key is sent"),
    ):
        open_model("openai/m", host, server=named, key_variable="UNSET_API_KEY")
    with pytest.raises(UsageError, match="somebody else's alone"):
        open_model("openai/m", host, server=Destination("http://127.0.0.1:1", NamedBy.STRANGER))


@pytest.mark.parametrize(
    ("client", "way"),
    [
        ("openai", "no API key was sent: set OPENAI_API_KEY)"),
        ("anthropic", "set ANTHROPIC_API_KEY, and name the server by --base-url"),
        ("gemini", "set GEMINI_API_KEY, and name the server by --base-url"),
    ],
)
def test_a_server_here_that_wants_the_key_it_was_not_sent_is_told_with_the_way_out(
    client: str, way: str
) -> None:
    async def ask() -> str:
        async with ProviderServer({"error": {"message": "who are you?"}}, status=401) as server:
            variables = {"TAPWRIGHT_BASE_URL": server.url, "ANTHROPIC_API_KEY": "hidden-0123456789"}
            model = open_model(f"{client}/m", HostConfig(variables))
            try:
                with pytest.raises(ModelError) as told:
                    await model.complete([Message("user", (Text("hello"),))])
            finally:
                await model.close()
            assert server.received
            assert "hidden" not in str(server.received)
            return str(told.value)

    assert way in asyncio.run(ask())


def test_a_program_of_others_is_given_only_what_it_needs() -> None:
    everything = {name: "x" for secret in SECRETS for name in secret.variables}
    left = without_secrets({**everything, "PATH": "/bin"}, "OPENAI_API_KEY")
    assert left == {"PATH": "/bin", "OPENAI_API_KEY": "x"}
    assert HUB_TOKEN is of_variable("HF_TOKEN")


ENVIRONMENT = re.compile("environ|getenv|variables")


def environment_reads(path: Path) -> Iterator[tuple[int, str]]:
    """The line and the name of each variable that a module reads, "*" for all of them."""
    source = path.read_text("utf-8")
    if not ENVIRONMENT.search(source):  # most have none, and a second is spent on their trees
        return
    tree = ast.parse(source)
    read_by_name: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=held, attr="get" | "setdefault" | "pop"),
                          args=[name, *_]) if is_environment(held):  # fmt: skip
                read_by_name.add(held)
                yield node.lineno, word(name)
            case ast.Subscript(value=held, slice=name) if is_environment(held):
                read_by_name.add(held)
                yield node.lineno, word(name)
            case ast.Call(func=ast.Attribute(attr="getenv"), args=[name, *_]):
                yield node.lineno, word(name)
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr="environ" | "environb") if node not in read_by_name:
                yield node.lineno, "*"


def is_environment(node: ast.AST) -> bool:
    """Whether it is `os.environ`, or the variables of a `HostConfig`."""
    match node:
        case ast.Attribute(attr="environ" | "environb"):
            return True
        case ast.Attribute(value=ast.Name(id="host" | "machine"), attr="variables"):
            return True
        case ast.Attribute(value=ast.Name(id="self"), attr="variables"):
            return True
        case _:
            return False


def word(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            parts = (one.value for one in values if isinstance(one, ast.Constant))
            return "".join(map(str, parts))
        case ast.Name(id=name):
            return name
        case _:
            return "*"


def test_nothing_reads_a_secret_from_the_environment_but_the_table() -> None:
    past: list[str] = []
    known = set(itertools.chain.from_iterable(secret.variables for secret in SECRETS))
    for path in sorted(SOURCE.rglob("*.py")):
        where = path.relative_to(SOURCE).as_posix()
        for line, name in environment_reads(path):
            if name in ASKS_ITSELF.get(where, ()) or (name == "*" and where in HANDS_ON):
                continue
            if name in known or LOOKS_SECRET.search(name) or name == "*":
                past.append(f"{where}:{line} reads {name}")
    assert past == []
