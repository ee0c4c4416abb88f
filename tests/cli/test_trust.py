"""A `tapwright.toml` that was only found: what may harm waits until this user trusts the file."""

import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click
import pytest

from tapwright.cli.plan_option import every_option
from tapwright.cli.project.file import Project
from tapwright.cli.project.keys import ProjectFile
from tapwright.cli.project.trusted_files import asked_keys
from tapwright.store.store import EpisodeStore
from tapwright.testing.local_server import FakeChatServer
from tests.cli.running import tapwright
from tests.cli.test_help import every_command
from tests.conftest import painted

SECRET = "sk-very-secret-0123456789"
KEYS = dict.fromkeys(
    ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"), SECRET
)
UNNAMED = {"TAPWRIGHT_BASE_URL": "", "OPENAI_API_BASE": ""}
PLACES = {
    "top": 'base_url = "{url}"\n[models.mine]\nmodel = "{model}"\n',
    "list": 'base_url = ["{url}", "{url}/v1"]\n[models.mine]\nmodel = "{model}"\n',
    "model": 'base_url = "http://127.0.0.1:1"\n[models.mine]\nmodel = "{model}"\n'
    'base_url = "{url}"\n',
    "table": '[models.mine]\nmodel = "{model}"\n[{table}]\nbase_url = "{url}"\n',
}
IGNORED = {
    "top": ("base_url", "models"),
    "list": ("base_url", "models"),
    "model": ("base_url", "models"),
    "table": ("models", "{table}.base_url"),
}
COMMANDS = {
    "eval.run": ("eval", "run", "l2", "--data", "bench", "-m", "mine", "--limit", "1"),
    "record": ("record", "--agent", "mine", "--device", "fake", "--suite", "s", "--limit", "1"),
    "annotate.run": ("annotate", "run", "store", "--with", "mine"),
    "annotate.paraphrase": ("annotate", "paraphrase", "store", "--with", "mine", "-o", "said"),
}


WITH_A_MODEL = {"mine": "openai/m"}


class Listener:
    """Listens on this machine, refuses each request, and keeps the headers of all."""

    def __init__(self) -> None:
        self.headers: list[dict[str, str]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.headers.append({name.lower(): text for name, text in self.headers.items()})
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(400)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]

    @property
    def near(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.02,))
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a store, and data made of it."""
    home = tmp_path_factory.mktemp("made")
    store = EpisodeStore(home / "store")
    for one in painted():
        store.write(replace(one, outcome="success"))
    assert tapwright("eval", "make", "store", "-o", "bench", cwd=home).returncode == 0
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    """The same with a suite and a client of one's own."""
    found = tmp_path / "found"
    shutil.copytree(made, found)
    (found / "s").mkdir()
    (found / "s/one.textproto").write_text(
        'id: "one" command: "Press." event_sources { id: 1 finish_event { } } event_slots {'
        ' episode_end_listener { events { id: 1 } transformation: "y = True" } }'
    )
    (found / "mine.py").write_text(
        "from tapwright.models.openai import OpenAIModel\nClient = OpenAIModel\n"
    )
    return found


def write(home: Path, place: str, url: str, model: str = "openai/m", table: str = "") -> None:
    text = PLACES[place].format(url=url, model=model, table=table)
    (home / "tapwright.toml").write_text(text)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("table", COMMANDS)
@pytest.mark.slow_but_one  # each is asked again until the address is given up
def test_nothing_goes_to_an_address_of_a_file_that_was_only_found(
    home: Path, listener: Listener, place: str, table: str
) -> None:
    environment = {**KEYS, "TAPWRIGHT_BASE_URL": "", "OPENAI_BASE_URL": "http://127.0.0.1:1"}
    for words in (COMMANDS[table], [WITH_A_MODEL.get(one, one) for one in COMMANDS[table]]):
        write(home, place, listener.near, table=table)
        run = tapwright(*words, cwd=home, **environment)
        assert run.returncode != 0
        assert listener.headers == []
        if words is COMMANDS[table]:
            ignored = ", ".join(IGNORED[place]).format(table=table)
            expected = "note: tapwright.toml is not trusted: read it, then `tapwright trust`; until"
            assert f"{expected} then without its {ignored}" in run.stderr


@pytest.mark.parametrize("place", PLACES)
def test_what_was_trusted_gets_the_key_until_it_changes(home: Path, place: str) -> None:
    with FakeChatServer(lambda body: "(1, 2)") as server:
        write(home, place, server.base_url, table="eval.run")
        trusted = tapwright("trust", cwd=home)
        assert trusted.returncode == 0, trusted.stderr
        assert "allowed: tapwright.toml, line " in trusted.stderr
        run = tapwright(*COMMANDS["eval.run"], cwd=home, **KEYS, **UNNAMED, OPENAI_BASE_URL="")
        assert run.returncode == 0, run.stderr
        assert f"models are queried at {server.base_url}" in run.stderr
        assert server.received.pop().headers["authorization"] == f"Bearer {SECRET}"
        (home / "tapwright.toml").write_text((home / "tapwright.toml").read_text() + "\n# more")
        server.received.clear()
        again = tapwright(*COMMANDS["eval.run"], cwd=home, **KEYS, **UNNAMED, OPENAI_BASE_URL="")
        assert "tapwright.toml changed since you trusted it" in again.stderr
        assert server.received == []


def test_what_was_trusted_is_trusted_there_alone_and_can_be_taken_back(home: Path) -> None:
    write(home, "top", "http://127.0.0.1:1")
    assert tapwright("trust", cwd=home).returncode == 0
    elsewhere = home / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(home / "tapwright.toml", elsewhere)
    where = ("doctor", "--check", "project")
    assert "not trusted" not in tapwright(*where, cwd=home).stdout
    assert "is not trusted" in tapwright(*where, cwd=elsewhere).stdout
    assert tapwright("trust", "--remove", cwd=home).returncode == 0
    assert "is not trusted" in tapwright(*where, cwd=home).stdout


def test_a_file_that_init_wrote_is_trusted_and_an_edit_of_it_is_not(tmp_path: Path) -> None:
    assert tapwright("init", cwd=tmp_path).returncode == 0
    where = ("doctor", "--check", "project")
    assert "trust" not in tapwright(*where, cwd=tmp_path).stdout
    with (tmp_path / "tapwright.toml").open("a") as file:
        file.write('network = "*"\n')
    assert "changed since you trusted it" in tapwright(*where, cwd=tmp_path).stdout


@pytest.mark.parametrize("directory", [".", "below"])
def test_what_cannot_harm_is_taken_from_any_file(home: Path, directory: str) -> None:
    (home / "below").mkdir()
    (home / "tapwright.toml").write_text('store = "store"\n[episodes.ls]\nlimit = 1\n')
    run = tapwright("episodes", "ls", "--format", "quiet", cwd=home / directory)
    assert run.returncode == 0
    assert len(run.stdout.split()) == 1
    assert "note" not in run.stderr


@pytest.mark.parametrize("value", ["/", "..", "~", "out", "s3://bucket/x"])
def test_a_store_that_leads_out_is_not_taken(home: Path, value: str) -> None:
    (home / "out").symlink_to(home.parent)
    (home / "tapwright.toml").write_text(f'store = "{value}"\n')
    run = tapwright("episodes", "ls", cwd=home)
    assert "until then without its store" in run.stderr


HARMLESS = {
    "annotator": "rules", "convention": "qwen2.5-vl", "envs": 2, "runs": "runs",
    "store": "episodes", "suite": "phone",
}  # fmt: skip
HARMFUL = {
    "base_url": "http://127.0.0.1:1", "device": "phone", "max_cost": 5.0, "model": "tree",
    "models": {"mine": {"model": "openai/x"}}, "network": "*", "prices": "1,2",
    "settings": {"temperature": 0},
}  # fmt: skip


@pytest.mark.parametrize("key", ProjectFile.model_fields)
def test_each_key_is_harmless_or_asked_for(tmp_path: Path, key: str) -> None:
    value = {**HARMLESS, **HARMFUL}[key]  # a new key has to be in one of them
    keys = ProjectFile.model_validate({key: value})
    project = Project(tmp_path / "tapwright.toml", keys, {}, "")
    command = click.Command("record")
    assert list(asked_keys(project, ("record",), command)) == ([key] if key in HARMFUL else [])
    for text in ("../x", "a:b", "openai/x", "/etc", "~/x") if isinstance(value, str) else ():
        project = Project(tmp_path / "tapwright.toml", keys.model_copy(update={key: text}), {}, "")
        below = key in ("store", "runs") and text in ("a:b", "openai/x")
        assert list(asked_keys(project, ("record",), command)) == ([] if below else [key])


def test_of_each_command_only_counts_and_harmless_keys_are_taken(tmp_path: Path) -> None:
    for words, command in every_command():
        path = tuple(words.split())
        for one in every_option(command):
            name = next(opt for opt in reversed(one.opts) if opt.startswith("--"))[2:]
            name = name.replace("-", "_")
            tables: dict[str, object] = {name: "/tmp/x" if not one.is_flag else True}
            for word in reversed(path):
                tables = {word: tables}
            project = Project(
                tmp_path / "tapwright.toml", ProjectFile.model_validate({}), tables, ""
            )
            counts = isinstance(one.type, click.types.IntParamType) and name != "port"
            taken = (counts and not one.is_flag) or name == "allow"
            asked = list(asked_keys(project, path, command))
            assert asked == ([] if taken else [f"{'.'.join(path)}.{name}"])


def test_a_run_is_resumed_at_the_server_that_this_user_names(home: Path) -> None:
    with FakeChatServer(lambda body: "(1, 2)") as server:
        words = (*COMMANDS["eval.run"], "--base-url", server.base_url, "-o", "run")
        words = tuple(WITH_A_MODEL.get(one, one) for one in words)
        assert tapwright(*words, cwd=home, **KEYS, **UNNAMED).returncode == 0
        log = home / "run/run.jsonl"
        log.write_text(log.read_text().splitlines(keepends=True)[0])
        write(home, "top", server.base_url)
        server.received.clear()
        resumed = tapwright("eval", "resume", "run", cwd=home, **KEYS, **UNNAMED)
        assert resumed.returncode == 2, resumed.stderr
        assert server.received == []
        tapwright("trust", cwd=home)
        resumed = tapwright("eval", "resume", "run", cwd=home, **KEYS, **UNNAMED)
        assert resumed.returncode == 0, resumed.stderr
        assert server.received.pop().headers["authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize(
    ("device", "secret"),
    [
        ("remote:http://127.0.0.1:1", "TAPWRIGHT_TOKEN"),
        ("osworld:http://127.0.0.1:1", "TAPWRIGHT_TOKEN"),
        ("desktop:vnc://127.0.0.1:1", "TAPWRIGHT_VNC_PASSWORD"),
    ],
)
def test_no_device_of_a_file_that_was_only_found_is_opened(
    home: Path, device: str, secret: str
) -> None:
    for text, key in (("", "device"), ("[devices.info]\n", "devices.info.device")):
        (home / "tapwright.toml").write_text(f'{text}device = "{device}"\n')
        run = tapwright("devices", "info", cwd=home, **{secret: SECRET})
        assert f"until then without its {key}\n" in run.stderr
        assert "127.0.0.1:1" not in run.stdout + run.stderr


@pytest.mark.parametrize(
    "line", ["suite_python = 'bin/evil'", "suite_option = 'revert=evil'", "ray_address = 'evil:1'"]
)
def test_a_found_file_starts_no_program(home: Path, line: str) -> None:
    (home / "tapwright.toml").write_text(f"[eval.run]\n{line}\n")
    tapwright("trust", cwd=home)
    run = tapwright("eval", "run", "l2", "--data", "bench", "-m", "tree", cwd=home)
    assert run.returncode == 2
    assert "is for the command line alone" in run.stderr
