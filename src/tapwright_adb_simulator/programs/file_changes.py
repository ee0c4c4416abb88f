"""Programs that copy, move, find and test files, with toybox's messages."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from posixpath import basename, join

from tapwright_adb_simulator.shell import ProgramCall
from tapwright_adb_simulator.storage import FileNode, FileProblem, Storage

_TESTS = {"-e": (True, True), "-f": (False, True), "-d": (True, False)}
"""Whether a folder passes, and whether a file does."""


async def cp(call: ProgramCall) -> int:
    """Copy a file, or with `-r` or `-a` a folder with all that is in it, to a place or a folder."""
    words = [word for word in call.arguments if not word.startswith("-")]
    letters = {letter for word in call.arguments if word.startswith("-") for letter in word[1:]}
    if len(words) < 2:
        return await call.fail("cp: Need 2 arguments\n")
    code = 0
    for source in words[:-1]:
        try:
            _copy(call.system.storage, source, words[-1], folders=bool(letters & {"r", "R", "a"}))
        except FileProblem as problem:
            code = await call.fail(f"cp: '{source}': {problem}\n")
    return code


async def mv(call: ProgramCall) -> int:
    """Move files and folders to a place or into a folder."""
    words = [word for word in call.arguments if not word.startswith("-")]
    if len(words) < 2:
        return await call.fail("mv: Need 2 arguments\n")
    code = 0
    for source in words[:-1]:
        try:
            _copy(call.system.storage, source, words[-1], folders=True)
            call.system.storage.remove(source, folders=True)
        except FileProblem as problem:
            code = await call.fail(f"mv: bad '{source}': {problem}\n")
    return code


async def touch(call: ProgramCall) -> int:
    """Make empty files where there are none."""
    storage = call.system.storage
    words = list(call.arguments)
    for option in ("-d", "-t"):
        if option in words:
            del words[words.index(option) : words.index(option) + 2]
    code = 0
    for path in words:
        try:
            try:
                storage.find(path)
            except FileProblem:
                storage.write(path, b"", time_s=call.system.android.now_s)
        except FileProblem as problem:
            code = await call.fail(f"touch: '{path}': {problem}\n")
    return code


async def chmod(call: ProgramCall) -> int:
    """Rights and owners are not kept; only that the files are there counts."""
    code = 0
    paths = [word for word in call.arguments if word.startswith("/")]
    for path in paths:
        try:
            call.system.storage.find(path)
        except FileProblem as problem:
            code = await call.fail(f"{call.words[0]}: {path}: {problem}\n")
    return code


async def find(call: ProgramCall) -> int:
    """`PATH … [-mindepth N] [-maxdepth N] [-name PATTERN] [-type f|d] [-o …] [-delete]`.

    What is below, itself first; with `-delete` it is removed instead.
    """
    words = list(call.arguments)
    first = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
    roots, asked = words[:first] or ["."], words[first:]
    shallowest, deepest, pattern, kinds, delete = 0, 64, "*", set[str](), False
    given = iter(asked)
    for word in given:
        match word:
            case "-maxdepth":
                deepest = int(next(given, "64"))
            case "-mindepth":
                shallowest = int(next(given, "0"))
            case "-delete":
                delete = True
            case "-name":
                pattern = next(given, "*")
            case "-type":
                kinds.add(next(given, ""))
            case "-o":
                pass
            case _:
                return await call.fail(f"find: bad arg '{word}'\n")
    code = 0
    for root in roots:
        try:
            node = call.system.storage.find(root)
        except FileProblem as problem:
            code = await call.fail(f"find: {root}: {problem}\n")
            continue
        for path, found in _below(root, node, deepest):
            kind = "d" if found.is_folder else "f"
            depth = path[len(root.rstrip("/")) :].count("/")
            chosen = (not kinds or kind in kinds) and fnmatchcase(basename(path), pattern)
            if not chosen or depth < shallowest:
                continue
            if delete:
                call.system.storage.remove(path, folders=True)
            else:
                await call.write(f"{path}\n")
    return code


async def test(call: ProgramCall) -> int:
    """`[ -e PATH ]`, `-f` and `-d`, `-z` and `-n`, `=` and `!=`; `!` before any of them."""
    words = list(call.arguments)
    if call.words[0] == "[":
        if words[-1:] != ["]"]:
            return await call.fail("[: missing ]\n", 2)
        del words[-1]
    wanted = True
    while words[:1] == ["!"]:
        wanted, words = not wanted, words[1:]
    match words:
        case ["-e" | "-f" | "-d" as how, path]:
            folder, file = _TESTS[how]
            try:
                holds = folder if call.system.storage.find(path).is_folder else file
            except FileProblem:
                holds = False
        case ["-z", text]:
            holds = not text
        case ["-n", text] | [text]:
            holds = bool(text)
        case [one, "=" | "==", other]:
            holds = one == other
        case [one, "!=", other]:
            holds = one != other
        case []:
            holds = False
        case _:
            return await call.fail(f"{call.words[0]}: bad test {' '.join(words)}\n", 2)
    return int(holds != wanted)


def _copy(storage: Storage, source: str, target: str, *, folders: bool) -> None:
    """Copy to a place, or into a folder that is there; "X/." is what is in X."""
    node = storage.find(source)
    if node.is_folder and not folders:
        raise FileProblem(21, "Skipped dir")
    inside = source.endswith("/.")
    try:
        into = storage.find(target).is_folder
    except FileProblem:
        into = False
    place = join(target, basename(source.rstrip("/"))) if into and not inside else target
    for path, found in list(_below("", node, 64)):
        at = join(place, path.lstrip("/")) if path else place
        if found.is_folder:
            storage.make_folder(at)
        else:
            storage.write(at, found.data, mode=found.mode, time_s=found.time_s)


def _below(path: str, node: FileNode, depth: int) -> Sequence[tuple[str, FileNode]]:
    """A file or folder, and what is below it, as paths."""
    found = [(path, node)]
    if depth > 0:
        for name, entry in sorted(node.entries.items()):
            found += _below(f"{path.rstrip('/')}/{name}", entry, depth - 1)
    return found
