"""scripts/release_check.py: what lacks nothing, and what is said when one thing is gone."""

import zipfile
from pathlib import Path

import pytest

from tests.scripts import ROOT, load_build_hooks, load_script

check = load_script("release_check")
home = load_script("home")

SOURCE = "https://git.lab-of-phones.net/phones/tapwright"
PROJECT = f"""\
[project]
name = "tapwright"
version = "1.2.0"
requires-python = ">=3.11"
license-files = ["LICENSE"]
classifiers = [
  "Programming Language :: Python :: 3",
  {", ".join(f'"Programming Language :: Python :: {one}"' for one in check.PYTHONS)},
]

[project.urls]
Source = "{SOURCE}"
"""
README = """\
# tapwright

![A phone](docs/images/phone.jpg)

```console
$ make demo
```

Then [install](docs/start/install.md) 它。 When an index has it: `pip install tapwright`.
"""
FILES = {
    "pyproject.toml": PROJECT,
    "README.md": README,
    "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2026-12-01\n\n- It is there.\n",
    "CITATION.cff": f"version: 1.2.0\ndate-released: 2026-12-01\nrepository-code: {SOURCE}\n",
    "Dockerfile": f'FROM scratch\nLABEL org.opencontainers.image.source="{SOURCE}"\n',
    "docs/start/install.md": "# Install\n\n    make demo\n",
    "tests/golden/release_1_2/ORIGIN.md": "",
    "bench/history.jsonl": '{"version": "1.1.0"}\n{"version": "1.2.0"}\n',
    "dist/tapwright-1.2.0.tar.gz": "",
}
WHEEL = "dist/tapwright-1.2.0-py3-none-any.whl"
ABOUT = "tapwright-1.2.0.dist-info"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A release that lacks nothing."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    page = load_build_hooks().readme_without_the_tree(README, SOURCE)
    pack(tmp_path / WHEEL, page)
    return tmp_path


def pack(wheel: Path, page: str, *left_out: str) -> None:
    files = {
        f"{ABOUT}/METADATA": f"Metadata-Version: 2.4\nVersion: 1.2.0\n\n{page}",
        f"{ABOUT}/licenses/LICENSE": "",
        "tapwright/drawing/fonts/NotoSansSC-LICENSE.txt": "",
    }
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in files.keys() - set(left_out):
            archive.writestr(name, files[name])


def test_a_tree_that_lacks_nothing_is_told_so(tree: Path) -> None:
    assert check.lacking(tree) == []
    assert check.lacking(tree, "v1.2.0") == []


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("pyproject.toml", "Source =", "Homepage =", "no Source in [project.urls]"),
        ("pyproject.toml", SOURCE, "https://example.org/a/b", "Source of [project.urls] is no"),
        ("pyproject.toml", SOURCE, "https://github.com/OWNER/tapwright", "Source of [proj"),
        ("pyproject.toml", SOURCE, f"{SOURCE}.git", "Source ends with / or .git"),
        ("pyproject.toml", ">=3.11", ">=3.10", "requires-python"),
        ("pyproject.toml", ":: Python :: 3.11", ":: Python :: 3.10", "classifiers name"),
        ("CHANGELOG.md", "Unreleased\n", "Unreleased\n\n- More.\n", "1 under Unreleased"),
        ("CHANGELOG.md", " - 2026-12-01", "", "no heading '## 1.2.0 - YYYY-MM-DD'"),
        ("CITATION.cff", "1.2.0", "1.1.0", "CITATION.cff: version is 1.1.0"),
        ("CITATION.cff", "2026-12-01", "2026-11-01", "CITATION.cff: date-released is 2026-11-01"),
        ("CITATION.cff", "repository-code", "url", "CITATION.cff: repository-code is None"),
        ("Dockerfile", "LABEL", "# LABEL", "Dockerfile: LABEL org.opencontainers.image.source is"),
        ("docs/start/install.md", "    make", "    git clone …\n    make", "install.md: git cl"),
        ("docs/start/install.md", "make demo", "pip install tapwright", "`pip install tapwright`"),
        ("bench/history.jsonl", "1.2.0", "1.3.0", "make bench RELEASE=1.2.0"),
        ("README.md", "![A", "![B](b.jpg) ![A", "its page has 1 pictures, README.md 2"),
    ],
)  # fmt: skip
def test_what_is_missing_is_told(tree: Path, file: str, old: str, new: str, said: str) -> None:
    text = (tree / file).read_text("utf-8")
    assert old in text
    (tree / file).write_text(text.replace(old, new), encoding="utf-8")
    assert [line for line in check.lacking(tree) if said in line]


def test_another_tag_is_told(tree: Path) -> None:
    (line,) = check.lacking(tree, "v1.2.1")
    assert line == "the tag is v1.2.1; pyproject.toml has 1.2.0, whose tag is v1.2.0"


def test_a_wheel_without_a_licence_or_with_links_into_the_tree_is_told(tree: Path) -> None:
    pack(tree / WHEEL, README, f"{ABOUT}/licenses/LICENSE")
    assert [line.removeprefix(f"{WHEEL}: ") for line in check.lacking(tree)] == [
        f"no {ABOUT}/licenses/LICENSE",
        "its page links to docs/images/phone.jpg, which is not in it",
        "its page links to docs/start/install.md, which is not in it",
    ]


def test_what_is_not_built_and_what_is_of_another_version_is_told(tree: Path) -> None:
    (tree / WHEEL).rename(tree / "dist/tapwright-1.1.0-py3-none-any.whl")
    assert check.lacking(tree) == [
        f"{WHEEL}: not built: make wheel",
        "dist/tapwright-1.1.0-py3-none-any.whl: not of this version",
    ]


@pytest.mark.parametrize(
    ("address", "is_one"),
    [
        ("https://github.com/phones/tapwright", True),
        ("https://tapwright.readthedocs.io/en/latest/", True),
        ("https://example.com/lab/tapwright", False),
        ("https://github.com/your-org/tapwright", False),
        ("https://github.com/<owner>/tapwright", False),
        ("https://…", False),
        ("http://github.com/phones/tapwright", False),
        ("git@github.com:phones/tapwright", False),
        ("TODO", False),
    ],
)
def test_an_address_is_whole_and_stands_for_no_other(address: str, is_one: bool) -> None:
    assert home.is_address(address) is is_one


def test_the_address_stands_once_and_what_repeats_it_agrees() -> None:
    source = home.read_source(ROOT)
    assert source is None or home.is_address(source)
    project = check.tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert list(check.copies(check.Release(ROOT, project))) == []


def test_no_page_tells_to_clone_or_install_what_is_nowhere() -> None:
    assert list(check.pages(ROOT)) == []
