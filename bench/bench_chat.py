"""What writing a chat costs: tapwright's call, and transformers' own call in the same run.

Run: python bench/bench_chat.py [--chats N] [--json]
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.resources import files

from pydantic import JsonValue
from transformers.utils.chat_template_utils import render_jinja_template

from tapwright.conventions.android_tools import (
    ANDROID_TOOLS_CONVENTION,
    answer_message,
    chat_messages,
    render_chat,
)
from tapwright.conventions.function_calls import TOOLS
from tapwright.conventions.training_text import render_pair
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.devices.fake import FakeDevice
from tapwright.errors import BadAnswerError

ROUNDS = 7
MEGABYTE = 1_000_000
GARBAGE = (
    '!FUNCTIONCALL{"x' * 32 + "y" * MEGABYTE,
    '!FUNCTIONCALL{"a":' * 32 + "[1," * (MEGABYTE // 3),
    "<" * MEGABYTE,
    "!FUNCTIONCALL{" + ",".join(f'"k{n}": {n}' for n in range(60_000)) + "}",
    '!FUNCTIONCALL{"name": "tap", "arguments": '
    + "{" + ",".join(f'"k{n}": {n}' for n in range(60_000)) + "}}",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chats", type=int, default=3000, help="chats per round")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    source = files("tapwright.conventions").joinpath("android_tools.jinja").read_text("utf-8")
    seen = FakeDevice().observe()
    decision = Decision(Tap(at=Point(0.5, 0.5)), "The row is there.", "the Wi-Fi row")
    chat = [*chat_messages("Turn on Wi-Fi", [], seen), answer_message(decision, seen.size)]
    told = chat_messages("Turn on Wi-Fi", [Step(seen, decision)] * 10, seen)
    few: list[dict[str, JsonValue]] = TOOLS[:4]
    answer = ANDROID_TOOLS_CONVENTION.render(decision, seen.size)
    measured = {
        "render_chat_4_tools_us": lambda: render_chat(chat, few),
        "transformers_4_tools_us": lambda: render_jinja_template(
            [chat], tools=few, chat_template=source
        ),
        "render_chat_14_tools_10_steps_us": lambda: render_chat(told, TOOLS),
        "transformers_14_tools_10_steps_us": lambda: render_jinja_template(
            [told], tools=TOOLS, chat_template=source
        ),
        "rendered_pair_14_tools_us": lambda: render_pair(chat, TOOLS),
        "parse_us": lambda: ANDROID_TOOLS_CONVENTION.parse(answer, seen.size),
    }
    result = {name: round(_cost_us(call, given.chats), 1) for name, call in measured.items()}
    for chats in ("4_tools", "14_tools_10_steps"):
        peer, ours = result[f"transformers_{chats}_us"], result[f"render_chat_{chats}_us"]
        result[f"{chats}: times transformers' speed"] = round(peer / ours, 2)
    result["chats_per_second_4_tools"] = round(1e6 / result["render_chat_4_tools_us"])
    result["refuse_1_mb_ms"] = round(max(map(_refusal_ms, GARBAGE)), 1)
    result["load_average"] = round(os.getloadavg()[0], 2)
    if given.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:<40} {value}")


def _refusal_ms(answer: str) -> float:
    begun = time.process_time()
    with suppress(BadAnswerError):
        ANDROID_TOOLS_CONVENTION.parse(answer, Size(1080, 2400))
    return 1000 * (time.process_time() - begun)


def _cost_us(call: Callable[[], object], times: int) -> float:
    """CPU time of one call: the median of some rounds."""
    call()
    rounds = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(times):
            call()
        rounds.append(1e6 * (time.process_time() - begun) / times)
    return statistics.median(rounds)


if __name__ == "__main__":
    main()
