"""Chooses the tests that a change can break; the import graph says which those are.

Run: python scripts/choose_tests.py --list [--base REV] shows what slow tests continuous integration
chooses for this commit, and why; with --room NAME, what `make test ROOM=NAME` runs.
A change is what differs from REV: by default from the merge base with the main branch, on the main
branch itself from the commit before. It touches the rooms (folders and files at the top of
src/tapwright) that it lies in, and reaches those that import what it touches. All slow tests of
these rooms are chosen, and of the rest a third, in turns: three commits in a row run them all.
Tests that start others' packages from environments of their own have one turn for each kind of them
(faces, suites); --environments names those that the chosen ones need, as `make` calls them.
"""

import argparse
import ast
import os
import re
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("tapwright", "tapwright_adb_simulator", "tapwright_verifiers")
TURNS = 3
# How many of twenty have which turn, so that turns take as long as one another: the second has the
# faces and their environments beside them, the third the suites.
_SHARES = (0,) * 8 + (1,) * 5 + (2,) * 7
# What every test stands on.
_EVERYTHING = ("tests/conftest.py", "pyproject.toml", "locks/core.txt", "locks/dev.txt")
# What reads every source, whatever it imports.
_OF_ALL_SOURCES = ("tests/test_errors.py", "tests/test_public_names.py", "tests/test_reference.py")
# `make test-all` alone installs the harness for hands.
ENVIRONMENTS = tuple(
    f"{path.parent.name}/{path.stem}"
    for path in sorted(ROOT.glob("locks/*/*.txt"))
    if path.stem != "cua_harness"
)
KINDS = ("faces", "suites")
_STARTS = re.compile(r"\b(face|suite)_python\(")
_MAIN = ("origin/HEAD", "origin/main", "main")


def git(*words: str, root: Path = ROOT) -> str:
    """What git prints; "" where it fails, as outside of a repository."""
    run = subprocess.run(
        ["git", "-C", str(root), *words],  # noqa: S607 - the git of whoever works here
        capture_output=True,
        text=True,
        check=False,
    )
    return run.stdout.strip() if run.returncode == 0 else ""


def find_base(root: Path = ROOT) -> str:
    """The commit that a change is measured from, as the docstring of this file says."""
    head = git("rev-parse", "HEAD", root=root)
    for main in _MAIN:
        base = git("merge-base", "HEAD", main, root=root)
        if base and base != head:
            return base
    if git("status", "--porcelain", root=root):
        return head
    return git("rev-parse", "--verify", "HEAD^", root=root) or head


def read_base(name: str, root: Path = ROOT) -> str:
    """The commit that a name means; `find_base` for "" and for the zeros of a new branch.

    Raises:
        pytest.UsageError: there is no such commit here.
    """
    if not name.strip("0"):
        return find_base(root)
    found = git("rev-parse", "--verify", f"{name}^{{commit}}", root=root)
    if not found:
        raise pytest.UsageError(
            f"no commit {name} here; is the history whole? git fetch --unshallow"
        )
    return found


def changed_paths(base: str, root: Path = ROOT) -> tuple[str, ...]:
    """The paths that differ from `base` here, committed or not, new files too."""
    differ = git("diff", "--name-only", "--no-renames", base, root=root).splitlines()
    new = git("ls-files", "--others", "--exclude-standard", root=root).splitlines()
    return tuple(sorted({*differ, *new}))


def turn_of(root: Path = ROOT) -> int:
    """Whose turn it is at this commit; by its number in the history, so that none is left out."""
    return int(git("rev-list", "--count", "HEAD", root=root) or 0) % TURNS


def group_of(test: str) -> int:
    """The turn that a test has."""
    return _SHARES[zlib.crc32(test.encode()) % len(_SHARES)]


def kind_turn(kind: str) -> int:
    """The turn that tests have with one kind of environments: faces, suites."""
    return 1 + KINDS.index(kind)


def room_of(module: str) -> str:
    """`tapwright.web.library.runs` is in the room `web`, the simulator in `adb_simulator`."""
    package, *rest = module.split(".")
    return rest[0] if package == "tapwright" and rest else package.removeprefix("tapwright_")


@dataclass(frozen=True)
class TestFile:
    """A file below tests/: the modules that it imports, and the files of tests that it leans on."""

    __test__ = False

    path: str
    modules: frozenset[str]
    helpers: frozenset[str]
    text: str

    @property
    def environments(self) -> tuple[str, ...]:
        """The environments of `make` whose Python its tests start: suites/osworld, faces/mcp."""
        if not _STARTS.search(self.text):
            return ()
        return tuple(one for one in ENVIRONMENTS if f'"{one.split("/")[1]}"' in self.text)

    @property
    def room(self) -> str:
        """The folder below tests/, which is called like the room; "" for tests of the house."""
        parts = self.path.split("/")
        return parts[1] if len(parts) > 2 else ""


class Tests:
    """All files below tests/, read once."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.paths = {path.relative_to(root).as_posix() for path in root.glob("tests/**/*.py")}

    @cached_property
    def files(self) -> dict[str, TestFile]:
        """Path -> file."""
        return {path: self._read(path) for path in sorted(self.paths)}

    def with_helpers(self, path: str) -> tuple[TestFile, ...]:
        """A file and all that it leans on, but for tests/conftest.py, which all have."""
        found: dict[str, TestFile] = {}
        waiting = [path]
        while waiting:
            one = waiting.pop()
            if one not in found:
                found[one] = self.files[one]
                waiting += self.files[one].helpers
        return tuple(found.values())

    def _read(self, path: str) -> TestFile:
        text = (self.root / path).read_text("utf-8")
        names = {name for node in ast.walk(ast.parse(text)) for name in _imported(node)}
        modules = {name for name in names if name.split(".")[0] in PACKAGES}
        helpers = {
            file
            for name in names
            for file in (
                f"{name.replace('.', '/')}.py",
                f"{name.rpartition('.')[0].replace('.', '/')}.py",
            )
            if name.startswith("tests.") and file in self.paths
        }
        folders = [folder.as_posix() for folder in Path(path).parents if folder.parts[1:]]
        helpers |= {f"{folder}/conftest.py" for folder in folders} & self.paths
        return TestFile(path, frozenset(modules), frozenset(helpers - {path}), text)


def _imported(node: ast.AST) -> Iterator[str]:
    """`a` and `a.b` of `from a import b`: the second may be a module, too."""
    match node:
        case ast.Import(names=names):
            yield from (name.name for name in names)
        case ast.ImportFrom(module=str(module), names=names):
            yield module
            yield from (f"{module}.{name.name}" for name in names)


class Change:
    """What a change touches, and what it reaches."""

    def __init__(
        self, paths: Iterable[str], root: Path = ROOT, graph: grimp.ImportGraph | None = None
    ) -> None:
        self.paths = tuple(paths)
        self.root = root
        self._graph = graph

    @cached_property
    def everything(self) -> str:
        """The changed file that every test stands on; "" if there is none."""
        return next((path for path in self.paths if path in _EVERYTHING), "")

    @cached_property
    def graph(self) -> grimp.ImportGraph:
        """Who imports whom, imports within functions too."""
        return self._graph or grimp.build_graph(*PACKAGES, cache_dir=None)

    @cached_property
    def modules(self) -> dict[str, str]:
        """The modules that it touches -> the changed file, which they import within its room."""
        touched = {module: path for path in self.paths for module in self._modules_of(path)}
        waiting = list(touched)
        while waiting:
            module = waiting.pop()
            for one in self._importers(module):
                if one not in touched and room_of(one) == room_of(module):
                    touched[one] = touched[module]
                    waiting.append(one)
        return touched

    @cached_property
    def touched(self) -> dict[str, str]:
        """The rooms that it lies in -> the changed file."""
        rooms = {room_of(module): path for module, path in self.modules.items()}
        for path in self.paths:
            if path.startswith("frontend/"):
                rooms.setdefault("web", path)
        return rooms

    @cached_property
    def reached(self) -> dict[str, str]:
        """The rooms that import what it touches -> the import."""
        return {
            room_of(one): f"{one} imports {module}"
            for module in self.modules
            for one in self._importers(module)
            if room_of(one) not in self.touched
        }

    def reason(self, path: str, tests: Tests) -> str:
        """Why the tests in a file can break; "" if they cannot, by all that the imports say."""
        file = tests.files[path]
        leaned = tests.with_helpers(path)
        if self.everything:
            return f"{self.everything} changed"
        for one in leaned:
            if one.path in self.paths:
                return f"{one.path} changed" if one is not file else "changed itself"
        if file.room in self.touched:
            return f"{self.touched[file.room]} changed"
        if file.room in self.reached:
            return self.reached[file.room]
        for one in leaned:
            for module in sorted(one.modules & self.modules.keys()):
                return f"imports {module}"
        source = next((one for one in self.paths if one.startswith("src/")), "")
        if source and path in _OF_ALL_SOURCES:
            return f"reads {source}"
        return next((f"names {path}" for path in self.paths if _names(file.text, path)), "")

    def is_touched(self, path: str, tests: Tests) -> bool:
        """Whether a file of tests was changed, or lies in a room that was."""
        return path in self.paths or tests.files[path].room in self.touched or bool(self.everything)

    def _importers(self, module: str) -> set[str]:
        if module not in self.graph.modules:
            return set()
        return self.graph.find_modules_that_directly_import(module)

    def _modules_of(self, path: str) -> Iterator[str]:
        """The module of a source file; for another file, those of the package that it lies in."""
        if not path.startswith("src/"):
            return
        parts = Path(path).with_suffix("").parts[1:]
        if path.endswith(".py"):
            yield ".".join(parts).removesuffix(".__init__")
            return
        while ".".join(parts) not in self.graph.modules and parts:
            parts = parts[:-1]
        if parts:
            package = ".".join(parts)
            yield package
            yield from self.graph.find_descendants(package)


def _names(text: str, path: str) -> bool:
    """Whether a test names a file that is neither code nor test, or its folder at the top."""
    if path.startswith(("src/", "tests/", "frontend/")):
        return False
    top, name = path.split("/")[0], Path(path)
    words = {name.name, name.stem if top == "scripts" else top}
    return any(re.search(rf"""["'/]{re.escape(word)}["'/]""", text) for word in words)


def room_reason(path: str, room: str, tests: Tests) -> str:
    """Why a file of tests tells of a room: it is of the room, or imports the room itself."""
    file = tests.files[path]
    if file.room == room:
        return "of the room"
    for module in sorted(file.modules):
        if room_of(module) == room:
            return f"imports {module}"
    return ""


class Chosen:
    """Chooses among collected tests: for a change or for a room, and counts what it did and why."""

    def __init__(self, *, base: str = "", room: str = "", turn: int | None = None) -> None:
        self.room = room
        self.tests = Tests()
        self.base = read_base(base)
        self.turn = turn_of() if turn is None else turn % TURNS
        self.change = Change(changed_paths(self.base))
        rooms = {room_of(one) for one in self.change.graph.modules} - {"tapwright", "__main__"}
        if room and room not in rooms:
            raise pytest.UsageError(f"no room {room}; there are {', '.join(sorted(rooms))}")
        self.rows: Counter[tuple[str, str, bool]] = Counter()
        self._reasons: dict[str, str] = {}

    def may_take(self, path: str) -> bool:
        """Whether a file can have a test that runs, so that it has to be imported at all."""
        if path not in self.tests.paths:
            return True
        if self.room:
            return bool(self._reason(path))
        return any("slow" in one.text for one in self.tests.with_helpers(path))

    def takes(self, test: str) -> bool:
        """Whether the test runs."""
        path = test.split("::")[0]
        reason = self._reason(path)
        taken = bool(reason)
        if not reason and not self.room:
            taken = self._has_turn(test)
            reason = f"turn {self.turn + 1} of {TURNS}"
        self.rows[path, reason, taken] += 1
        return taken

    def environments(self) -> Iterator[str]:
        """The environments that the chosen tests need."""
        for environment in ENVIRONMENTS:
            for path, file in self.tests.files.items():
                if environment in file.environments and (
                    self._reason(path) or self._has_turn(path)
                ):
                    yield environment
                    break

    def _has_turn(self, test: str) -> bool:
        file = self.tests.files.get(test.split("::")[0])
        kind = file.environments[0].split("/")[0] if file and file.environments else ""
        return (kind_turn(kind) if kind else group_of(test)) == self.turn

    def _reason(self, path: str) -> str:
        if path not in self._reasons:
            if self.room:
                reason = room_reason(path, self.room, self.tests)
            else:
                reason = self.change.reason(path, self.tests)
            self._reasons[path] = reason
        return self._reasons[path]

    def lines(self) -> Iterator[str]:
        """The choice, a line for each file of tests."""
        taken: Counter[tuple[str, str]] = Counter()
        of: Counter[tuple[str, str]] = Counter()
        for (path, reason, runs), number in self.rows.items():
            of[path, reason] += number
            taken[path, reason] += number if runs else 0
        for (path, reason), number in sorted(of.items()):
            if taken[path, reason] or not self.room:
                yield f"{taken[path, reason]:5} of {number:4}  {path}: {reason}"

    def describe(self) -> str:
        """What the choice goes by."""
        if self.room:
            return f"chosen: what tells of the room {self.room}"
        change = self.change
        touched, reached = (
            ", ".join(sorted(one)) or "no room" for one in (change.touched, change.reached)
        )
        return (
            f"chosen: what a change against {self.base[:10]} can break: it touches {touched}; "
            f"reaches {reached}; and of the rest turn {self.turn + 1} of {TURNS}"
        )

    def count(self) -> str:
        """How many tests are chosen."""
        taken = sum(number for (*_, runs), number in self.rows.items() if runs)
        return f"chosen: {taken:,} of {self.rows.total():,} tests"


_CHOSEN = pytest.StashKey[Chosen]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, where this file is a plugin: `pytest -p choose_tests --choose`."""
    group = parser.getgroup("choose_tests")
    group.addoption(
        "--choose", action="store_true", help="what a change can break, and a third of the rest"
    )
    group.addoption(
        "--base", default=os.environ.get("BASE", ""), help="what the change is measured from"
    )
    group.addoption("--room", default="", help="what a change in this room can break")


def pytest_configure(config: pytest.Config) -> None:
    """Choose, where that is asked for."""
    room = config.getoption("--room")
    if room or config.getoption("--choose"):
        config.stash[_CHOSEN] = Chosen(base=config.getoption("--base"), room=room)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Tell what the choice goes by."""
    chosen = config.stash.get(_CHOSEN, None)
    return chosen.describe() if chosen else None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file that cannot have a chosen test."""
    chosen = config.stash.get(_CHOSEN, None)
    if chosen is None or collection_path.suffix != ".py":
        return None
    inside = collection_path.is_relative_to(ROOT)
    path = collection_path.relative_to(ROOT).as_posix() if inside else ""
    return None if chosen.may_take(path) else True


@pytest.hookimpl(trylast=True)  # after -m and -k
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not chosen."""
    chosen = config.stash.get(_CHOSEN, None)
    if chosen is None:
        return
    taken = {item.nodeid: chosen.takes(item.nodeid) for item in items}
    config.hook.pytest_deselected(items=[item for item in items if not taken[item.nodeid]])
    items[:] = [item for item in items if taken[item.nodeid]]


class _Listing:
    """Prints the choice when all is collected."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        chosen = session.config.stash[_CHOSEN]
        for line in (*chosen.lines(), chosen.describe(), chosen.count()):
            sys.stdout.write(f"{line}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """List the choice."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--list", action="store_true", help="list it, a line for each file")
    what.add_argument("--environments", action="store_true", help="name what it needs installed")
    parser.add_argument("--base", default=os.environ.get("BASE", ""), metavar="REV")
    parser.add_argument("--room", default="", metavar="NAME")
    options = parser.parse_args(arguments)
    if options.environments:
        for environment in Chosen(base=options.base).environments():
            sys.stdout.write(f".make/{environment}/tried\n")
        return 0
    words = ["-p", "no:terminal", "-o", "addopts=--import-mode=importlib", "--collect-only"]
    words += ["--base", options.base, "--choose", "-m", "slow"]
    if options.room:
        words += ["--room", options.room, "-m", "not slow"]
    return int(pytest.main(words, plugins=[sys.modules[__name__], _Listing()]))


if __name__ == "__main__":
    sys.exit(main())
