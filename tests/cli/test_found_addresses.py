"""A `tapwright.toml` that was only found: no key goes to an address that nobody else named."""

import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tapwright.store.store import EpisodeStore
from tapwright.testing.chat import FakeChatServer
from tests.cli.running import tapwright
from tests.cli.test_help import every_command
from tests.conftest import painted

SECRET = "sk-very-secret-0123456789"
KEYS = dict.fromkeys(
    ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"), SECRET
)
NO_KEYS = dict.fromkeys(KEYS, "")
UNNAMED = {"TAPWRIGHT_BASE_URL": "", "OPENAI_API_BASE": ""}
PLACES = {
    "top": 'base_url = "{url}"\n[models.mine]\nmodel = "{model}"\n',
    "list": 'base_url = ["{url}", "{url}/v1"]\n[models.mine]\nmodel = "{model}"\n',
    "model": 'base_url = "http://127.0.0.1:1"\n[models.mine]\nmodel = "{model}"\n'
    'base_url = "{url}"\n',
    "table": '[models.mine]\nmodel = "{model}"\n[{table}]\nbase_url = "{url}"\n',
}
KEYS_OF_PLACES = {
    "top": ", line 1: base_url",
    "list": ", line 1: base_url",
    "model": ", line 4: models.mine.base_url",
    "table": ", line 4: {table}.base_url",
}
COMMANDS = {
    "eval.run": ("eval", "run", "l2", "--data", "bench", "-m", "mine", "--limit", "1"),
    "record": ("record", "--agent", "mine", "--device", "fake", "--suite", "s", "--limit", "1"),
    "annotate.run": ("annotate", "run", "store", "--with", "mine"),
    "annotate.paraphrase": ("annotate", "paraphrase", "store", "--with", "mine", "-o", "said"),
}


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
    def far(self) -> str:
        """An address that is not this machine's own loopback, though it leads to it."""
        return f"http://0.0.0.0:{self.port}"

    @property
    def near(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def saw_a_key(self) -> bool:
        return any(SECRET in text for one in self.headers for text in one.values())


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
def test_no_key_goes_to_an_address_that_only_a_found_file_names(
    home: Path, listener: Listener, place: str, table: str
) -> None:
    write(home, place, listener.far, table=table)
    run = tapwright(
        *COMMANDS[table], cwd=home, **KEYS, TAPWRIGHT_BASE_URL="", OPENAI_BASE_URL=listener.near
    )
    assert run.returncode == 2, run.stderr
    assert listener.headers == []
    where = KEYS_OF_PLACES[place].format(table=table)
    assert f"tapwright.toml{where} names {listener.far}" in run.stderr
    assert f"--base-url {listener.far}" in run.stderr


@pytest.mark.parametrize(
    "model", ["openai/m", "openai-responses/m", "anthropic/m", "gemini/m", "litellm/azure/m"]
)
def test_it_holds_for_every_client(home: Path, listener: Listener, model: str) -> None:
    write(home, "top", listener.far, model)
    run = tapwright(*COMMANDS["eval.run"], cwd=home, **KEYS, **UNNAMED, OPENAI_BASE_URL="")
    assert run.returncode == 2
    assert "only a file named it" in run.stderr
    write(home, "top", listener.near, model)
    tapwright(*COMMANDS["eval.run"], cwd=home, **KEYS, **UNNAMED, OPENAI_BASE_URL="")
    assert not listener.saw_a_key()
    assert bool(listener.headers) is not model.startswith("litellm")


@pytest.mark.parametrize(
    "words",
    [
        ("record", "--agent", "mine:Client/m", "--device", "fake", "--suite", "s"),
        (
            "record",
            "--agent",
            "scripted/wait",
            "--grounder",
            "openai/m",
            "--device",
            "fake",
            "--suite",
            "s",
        ),
        ("record", "--agent", "tree", "--planner", "gemini/m", "--device", "fake", "--suite", "s"),
        ("eval", "run", "--config", "eval.toml"),
    ],
    ids=lambda words: " ".join(words[1:5]),
)
def test_it_holds_for_helpers_for_clients_and_for_configs_of_ones_own(
    home: Path, listener: Listener, words: tuple[str, ...]
) -> None:
    (home / "eval.toml").write_text(
        '[benchmarks.l2]\ndata = "bench"\nlimit = 1\n[models."openai/m"]\nkey = "MY_KEY"\n'
    )
    for url in (listener.far, listener.near):
        (home / "tapwright.toml").write_text(
            f'[record]\nbase_url = "{url}"\n[eval.run]\nbase_url = "{url}"\n'
        )
        run = tapwright(*words, cwd=home, **KEYS, **UNNAMED, OPENAI_BASE_URL="", MY_KEY=SECRET)
        assert ("only a file named it" in run.stderr) is (url == listener.far), run.stderr
        assert not listener.saw_a_key()


def test_a_server_of_this_machine_is_asked_without_the_key(home: Path) -> None:
    with FakeChatServer(lambda body: "(1, 2)") as server:
        write(home, "model", server.base_url)
        run = tapwright(*COMMANDS["eval.run"], cwd=home, **KEYS, **UNNAMED)
        assert run.returncode == 0, run.stderr
        assert f"models are queried at {server.base_url}, says tapwright.toml" in run.stderr
        assert server.received
        assert all("authorization" not in one.headers for one in server.received)


def test_an_address_that_the_user_names_too_gets_the_key(home: Path) -> None:
    with FakeChatServer(lambda body: "(1, 2)") as server:
        url = server.base_url.replace("127.0.0.1", "0.0.0.0")
        write(home, "top", url)
        for named in (("--base-url", url), ("TAPWRIGHT_BASE_URL",), ("OPENAI_BASE_URL",)):
            words = named if len(named) > 1 else ()
            names = UNNAMED | {"OPENAI_BASE_URL": ""} | ({} if words else {named[0]: url})
            out = ("-o", f"run-{named[0].strip('-')}")
            run = tapwright(*COMMANDS["eval.run"], *words, *out, cwd=home, **KEYS, **names)
            assert run.returncode == 0, run.stderr
            assert server.received.pop().headers["authorization"] == f"Bearer {SECRET}"


def test_without_a_key_any_server_may_be_named(home: Path) -> None:
    with FakeChatServer(lambda body: "(1, 2)") as server:
        write(home, "top", server.base_url.replace("127.0.0.1", "0.0.0.0"))
        run = tapwright(*COMMANDS["eval.run"], cwd=home, **NO_KEYS, **UNNAMED)
        assert run.returncode == 0, run.stderr
        assert "authorization" not in server.received[0].headers


def test_a_run_is_resumed_without_a_key_for_a_server_that_was_only_found(home: Path) -> None:
    with FakeChatServer(lambda body: "(1, 2)") as server:
        far = server.base_url.replace("127.0.0.1", "0.0.0.0")
        for url, code in ((server.base_url, 0), (far, 2)):
            run = f"run-{code}"
            words = (*COMMANDS["eval.run"], "--base-url", url, "-o", run)
            write(home, "top", url)
            assert tapwright(*words, cwd=home, **KEYS, **UNNAMED).returncode == 0
            log = home / run / "run.jsonl"
            log.write_text(log.read_text().splitlines(keepends=True)[0])
            server.received.clear()
            resumed = tapwright("eval", "resume", run, cwd=home, **KEYS, **UNNAMED)
            assert resumed.returncode == code, resumed.stderr
            assert len(server.received) == (code == 0)
            assert all("authorization" not in one.headers for one in server.received)
        named = tapwright("eval", "resume", run, "--base-url", far, cwd=home, **KEYS, **UNNAMED)
        assert named.returncode == 0, named.stderr
        assert server.received.pop().headers["authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize(
    ("device", "secret"),
    [
        ("remote:http://127.0.0.1:1", "TAPWRIGHT_TOKEN"),
        ("osworld:http://127.0.0.1:1", "TAPWRIGHT_TOKEN"),
        ("desktop:vnc://127.0.0.1:1", "TAPWRIGHT_VNC_PASSWORD"),
    ],
)
def test_no_token_goes_to_a_device_that_only_a_found_file_names(
    home: Path, device: str, secret: str
) -> None:
    words = ("record", "--agent", "script", "--suite", "s")
    for text, line in (("", 1), ("[record]\n", 2)):
        (home / "tapwright.toml").write_text(f'{text}device = "{device}"\n')
        run = tapwright(*words, cwd=home, **{secret: SECRET})
        assert run.returncode == 2
        assert f"tapwright.toml, line {line}: " in run.stderr
        assert f"--device {device}" in run.stderr
        assert "only this file names it" not in tapwright(*words, cwd=home, **{secret: ""}).stderr


@pytest.mark.parametrize(
    "line", ["suite_python = 'bin/evil'", "suite_option = 'revert=evil'", "ray_address = 'evil:1'"]
)
def test_a_found_file_starts_no_program(home: Path, line: str) -> None:
    (home / "tapwright.toml").write_text(f"[eval.run]\n{line}\n")
    run = tapwright("eval", "run", "l2", "--data", "bench", "-m", "tree", cwd=home)
    assert run.returncode == 2
    assert "is for the command line alone" in run.stderr


def test_every_command_that_asks_models_is_among_the_tested_ones() -> None:
    asking = {
        words.replace(" ", ".")
        for words, command in every_command()
        if any("--base-url" in one.opts for one in command.params)
    }
    assert asking == {*COMMANDS, "annotate.retry", "eval.resume", "tasks.judge"}
