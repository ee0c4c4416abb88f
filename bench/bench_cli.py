"""What `tapwright --help` costs: CPU time (user + system) of the process, beside bare Python's.

Run: python bench/bench_cli.py [--runs N] [--json]
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys

COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "tapwright --help": [sys.executable, "-m", "tapwright", "--help"],
    "tapwright episodes --help": [sys.executable, "-m", "tapwright", "episodes", "--help"],
    "tapwright tasks ls": [sys.executable, "-m", "tapwright", "tasks", "ls"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    result: dict[str, float] = {
        f"{name} ms": round(statistics.median(_cpu_ms(command) for _ in range(given.runs)))
        for name, command in COMMANDS.items()
    }
    result["load_average"] = round(os.getloadavg()[0], 2)
    if given.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:<40} {value}")


def _cpu_ms(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


if __name__ == "__main__":
    main()
