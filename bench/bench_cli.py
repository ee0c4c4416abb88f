"""What the start of commands costs: CPU time (user + system) of the process, beside bare Python's.

Run: python bench/bench_cli.py [--runs N] [--every] [--json]
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Iterator

import click

from tapwright.cli.main import cli

BARE = "python -c pass"
HELPS = ("--help", "episodes --help", "episodes ls --help", "eval run --help")
LISTS = ("tasks ls", "conventions ls", "data ls", "devices ls", "sites ls", "suites ls")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--every", action="store_true", help="the help of every command")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    helps = tuple(_helps(cli, ())) if given.every else HELPS
    commands = {BARE: [sys.executable, "-c", "pass"]}
    for one in (*helps, *LISTS):
        commands[f"tapwright {one}"] = [sys.executable, "-m", "tapwright", *one.split()]
    # In turns, so that a busy minute is everybody's.
    rounds = [{name: _cpu_ms(one) for name, one in commands.items()} for _ in range(given.runs)]
    result: dict[str, float] = {f"{name} ms": round(_median(rounds, name)) for name in commands}
    for name in list(commands)[1:]:
        result[f"{name} beside python ratio"] = round(
            _median(rounds, name) / _median(rounds, BARE), 1
        )
    result["load_average"] = round(os.getloadavg()[0], 2)
    if given.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:<40} {value}")


def _helps(group: click.Command, words: tuple[str, ...]) -> Iterator[str]:
    yield " ".join((*words, "--help"))
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield from _helps(command, (*words, name))


def _median(rounds: list[dict[str, float]], name: str) -> float:
    return statistics.median(one[name] for one in rounds)


def _cpu_ms(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


if __name__ == "__main__":
    main()
