"""What growing tasks costs: two-step tasks out of templates, expanded, checked and written.

Run: python bench/bench_templates.py [--tasks N] [--json]
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SEARCH = """\
id: "search_<lower:slug>"
name: "Notes Task - Find <keywords>"
description: "Search the notes."
setup_steps: { adb_call: { install_apk: { filesystem: { path: "apks/notes.apk" } } } }
max_num_steps: 25
event_sources: { id: 1 log_event: {
  filters: "notes:D" pattern: "\\\\bquery=.*<regex_list,url_query':keywords>"
} }
event_sources: { id: 2 view_hierarchy_event: {
  selector: '#$"search_box"'
  properties: { property_name: "text" pattern: "\\\\b<regex_list,regex_esc':keywords>\\\\b" }
} }
event_slots: {
  reward_listener: { type: OR id: 3 events: [{ id: 1 }, { id: 2 }] transformation: "y = 1" }
  episode_end_listener: { events: { id: 3 } transformation: "y = True" }
}
command: "Search for <spacejoin:keywords>."
vocabulary: <no_quote,to_list:keywords>
"""
OPEN = """\
id: "open_<lower:slug>"
name: "Notes Task - Open <title>"
description: "Open the note called <title>."
event_sources: [
  { id: 1 text_detect: { expect: "<regex_esc:title>" rect: { y0: 0.1 x1: 1.0 y1: 0.3 } } },
  { id: 2 log_event: { filters: ["notes:D"] pattern: "opened /<regex_esc,url_path:title>$" } }
]
event_slots: {
  reward_listener: { type: OR id: 3 events: [{ id: 1 }, { id: 2 }] transformation: "y = 1" }
  episode_end_listener: { events: { id: 3 } transformation: "y = True" }
}
command: "Open the note \\"<title>\\"."
vocabulary: <no_quote,to_list,sentence_to_words:title>
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-templates-") as directory:
        here = Path(directory)
        templates, tasks = here / "templates", here / "tasks"
        templates.mkdir()
        tasks.mkdir()
        (templates / "search.textproto.template").write_text(SEARCH)
        (templates / "open.textproto.template").write_text(OPEN)
        lines = ["slug,keywords,title"]
        for number in range(given.tasks):
            (tasks / f"search-{number}.conf").write_text(
                f"slug: N{number}\nkeywords: milk{number},fresh eggs,tea\n"
            )
            (tasks / f"open-{number}.conf").write_text(f"slug: T{number}\ntitle: Note {number}\n")
            (tasks / f"t{number}.task").write_text(f"search-{number}\nopen-{number}\n")
            lines.append(f'N{number},"milk{number},fresh eggs,tea",Note {number}')
        (here / "table.csv").write_text("\n".join(lines))
        (here / "recipe.task").write_text("search\nopen\n")
        result = {
            "tasks": given.tasks,
            "from task and conf files": _expand(here, str(tasks), "-o", str(here / "a")),
            "from a table": _expand(
                here, str(here / "table.csv"), "--task", "recipe.task", "-o", str(here / "b")
            ),
        }
    print(json.dumps(result) if given.json else json.dumps(result, indent=2))


def _expand(cwd: Path, *words: str) -> dict[str, float]:
    """Wall clock and CPU seconds, and the largest memory of one process so far."""
    os.sync()  # what was written before is not part of it
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "tapwright", "tasks", "expand", *words, "-p", "templates"],
        cwd=cwd, check=True, capture_output=True,
    )  # fmt: skip
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"s": round(wall, 2), "cpu_s": round(cpu, 2), "peak_mb": round(after.ru_maxrss / 1024)}


if __name__ == "__main__":
    main()
