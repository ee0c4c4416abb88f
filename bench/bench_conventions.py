"""What it costs to read and to say an answer, and how long a megabyte of garbage can take.

Run: python bench/bench_conventions.py [--json]
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Iterator
from contextlib import suppress

from tapwright.conventions import conventions
from tapwright.conventions.convention import Convention
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size
from tapwright.errors import BadAnswerError

SIZE = Size(1080, 2400)
LENGTH = 1_000_000
SAID = 2_000
PIECES = (
    "x", " ", "\n", "{", '{"', '{"a":', '{"a":[', '{"a":1}', '{"action":{"type":"wait"}}', "[[[",
    '{"a":"', "\\", "<think>", "</think>", "<tool_call>\n", '<tool_call>{"name":"mobile_use",',
    "Action: ", "Action:\n", "Action: click(", "click(point='", "click(start_box='(1,2)')",
    'do(action="', '<answer>do(action="Type", text="', "pyautogui.click(", "pyautogui.click(x=1,",
    "```python\n", "os\n", "actions:\n", "TYPE [", "CLICK <point>[[", "(1,", "(1,2)", "1,2,",
    "Click(", "Click(1,2)", "[1,", "'", '"', "''", "type(content='a'b", "finished(content=",
    '{"a":{"b":[1,2,3],', "{  ", "-", "9", "9" * 50 + ",",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results = [dict(_measured(conventions.get(name))) for name in conventions.names()]
    if given.json:
        print(json.dumps({"conventions": results, "load_average": os.getloadavg()[0]}))
        return
    print(f"{'convention':<24} {'say':>8} {'read':>8} {'1 MB':>8}  the worst garbage")
    for row in results:
        print(
            f"{row['convention']:<24} {row['say_us']:>5} us {row['read_us']:>5} us "
            f"{row['garbage_ms']:>5} ms  {row['worst']!r}"
        )
    print(f"load {os.getloadavg()[0]:.2f}")


def _measured(convention: Convention) -> Iterator[tuple[str, object]]:
    decision = Decision(Tap(at=Point(0.25, 0.75)), "It opens the settings.", "the gear")
    answer = convention.render(decision, SIZE)
    yield "convention", convention.name
    yield "say_us", round(_us(lambda: convention.render(decision, SIZE)))
    yield "read_us", round(_us(lambda: _read(convention, answer)))
    _, worst = max((_ms(convention, piece), piece) for piece in PIECES)
    yield "garbage_ms", round(min(_ms(convention, worst) for _ in range(3)), 1)
    yield "worst", worst[:30]


def _us(work: object) -> float:
    assert callable(work)
    times = []
    for _ in range(5):
        begun = time.process_time()
        for _ in range(SAID):
            work()
        times.append((time.process_time() - begun) / SAID * 1e6)
    return statistics.median(times)


def _ms(convention: Convention, piece: str) -> float:
    garbage = (piece * (LENGTH // len(piece) + 1))[:LENGTH]
    begun = time.process_time()
    _read(convention, garbage)
    return (time.process_time() - begun) * 1000


def _read(convention: Convention, text: str) -> None:
    with suppress(BadAnswerError):
        convention.parse(text, SIZE)


if __name__ == "__main__":
    main()
