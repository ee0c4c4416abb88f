"""Each page of Start is a notebook, too: made of the page, and run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faces.environments import face_python, with_sources
from tests.scripts import load_script
from tests.test_docs import DOCS

PAGES = sorted(DOCS.glob("start/*.md"))
PICTURES = {"agent": 2, "demo": 1, "training-data": 1}
"""How many cells of a notebook end with an episode or a screen, which show themselves."""
RUN = """
import sys, nbformat, nbclient
book = nbformat.read(sys.argv[1], 4)
nbformat.validate(book)
for cell in book.cells:  # a notebook goes on after a command that failed; this one does not
    if cell.cell_type == "code" and cell.source.startswith("!"):
        lines = cell.source.splitlines()
        cell.source = "\\n".join(f"{line}\\nassert _exit_code == 0, {line!r}" for line in lines)
nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute(cwd=".")
nbformat.write(book, "run.ipynb")
"""


def test_a_notebook_is_what_its_page_says() -> None:
    script = load_script("write_notebooks")
    pages = script.pages()
    assert set(PAGES) < set(pages)
    old = [page.name for page in pages if read(page.with_suffix(".ipynb")) != script.text_of(page)]
    assert old == [], "python scripts/write_notebooks.py"


def test_every_start_page_leads_to_its_notebook() -> None:
    for page in load_script("write_notebooks").pages():
        assert f"]({page.stem}.ipynb)" in page.read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_notebook_runs_from_its_first_cell_to_its_last(page: Path, tmp_path: Path) -> None:
    python = face_python("notebook")
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "tapwright"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m tapwright "$@"\n')
    program.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    run = subprocess.run(
        [python, "-c", RUN, page.with_suffix(".ipynb")],
        cwd=work,
        env=with_sources()
        | {
            "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
            "IPYTHONDIR": str(tmp_path / "ipython"),
            "TAPWRIGHT_ADB": os.devnull,
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    cells = json.loads(read(work / "run.ipynb"))["cells"]
    shown = [output for cell in cells for output in cell.get("outputs", ())]
    pictures = [one for one in shown if "<svg" in "".join(one.get("data", {}).get("text/html", ()))]
    assert len(pictures) == PICTURES.get(page.stem, 0)


def read(path: Path) -> str:
    return path.read_text("utf-8")
