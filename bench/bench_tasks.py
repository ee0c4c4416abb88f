"""What judging costs: one step of a task with 30 event sources over a view hierarchy of 500 nodes.

Run: python bench/bench_tasks.py. Figures are CPU times; a tree is new at every step, as it is in
the environment, and reading text off the screen is apart.
"""

import statistics
import time

from tapwright.core.geometry import Size
from tapwright.core.observation import UiTree, write_node
from tapwright.tasks.definitions.textproto import parse_task
from tapwright.tasks.events.tree import EventTree

SIZE = Size(1080, 2400)
STEPS = 200


def tree(number: int) -> UiTree:
    """A screen of 500 nodes, in rows of five below a list."""
    rows = []
    for row in range(83):
        inner = "".join(
            write_node(_attributes(f"Item {number}-{row}-{part}", part, row), closed=True)
            for part in range(5)
        )
        rows.append(write_node(_attributes("", row, row), closed=False) + inner + "</node>")
    return UiTree(f'<hierarchy rotation="0"><node>{"".join(rows)}</node></hierarchy>', SIZE)


def _attributes(text: str, index: int, row: int) -> dict[str, str]:
    flags = [
        "checkable",
        "checked",
        "clickable",
        "enabled",
        "focusable",
        "focused",
        "scrollable",
        "selected",
    ]
    return {
        "index": str(index), "text": text, "resource-id": f"com.example.shop:id/row_{row % 30}",
        "class": "android.widget.TextView", "package": "com.example.shop", "content-desc": "",
        **dict.fromkeys(flags, "false"), "bounds": f"[0,{row * 20}][1080,{row * 20 + 20}]",
    }  # fmt: skip


def definition() -> str:
    """Ten sources each of hierarchy, log and response, an OR over each ten, and an end."""
    sources, slots = [], []
    for number in range(1, 11):
        selector = f'#$"row_{number}" > .$"TextView"@2'
        sources.append(
            f"event_sources {{ id: {number} view_hierarchy_event {{ selector: '{selector}' "
            f'properties {{ property_name: "text" pattern: "-{number}-(1|2)$" }} '
            'properties { property_name: "top" sign: LE floating: 0.01 } } '
            "repeatability: UNLIMITED }"
        )
        sources.append(
            f"event_sources {{ id: {number + 10} log_event {{ filters: 't:D' "
            f"pattern: 'mUrl is: https://www\\\\.example\\\\.com/.*({number}|x)' }} }}"
        )
        sources.append(
            f"event_sources {{ id: {number + 20} response_event {{ pattern: '{number}' }} }}"
        )
    for start in (1, 11, 21):
        children = " ".join(f"events {{ id: {number} }}" for number in range(start, start + 10))
        slots.append(
            f"events {{ event {{ id: {100 + start} type: OR {children} "
            "transformation: 'y = 1' } }"
        )
    return (
        "\n".join(sources) + f"event_slots {{ reward_listener {{ type: OR {' '.join(slots)} }} "
        "episode_end_listener { type: AND events { id: 101 } events { id: 111 } "
        "events { id: 121 } transformation: 'y = True' } }"
    )


def main() -> None:
    events = EventTree(parse_task(definition()))
    events.step({})
    spent = []
    for number in range(STEPS):
        screen = tree(number)
        begun = time.process_time()
        events.step(
            {"vh": screen, "log": [f"mUrl is: https://www.example.com/{number}"], "response": "no"}
        )
        spent.append((time.process_time() - begun) * 1000)
    spent.sort()
    print(
        f"a step: median {statistics.median(spent):.2f} ms, p95 {spent[int(0.95 * STEPS)]:.2f} ms"
    )


if __name__ == "__main__":
    main()
