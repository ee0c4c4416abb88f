# ruff: noqa: T201
"""A small suite of its own: sums, some of which go wrong in every way that a suite can."""

import importlib
import os
import random
import subprocess
import sys
import time
from pathlib import Path

from tapwright_suite import Json, SuiteError, serve

FAULTS = (
    "crash", "hang", "print", "import", "no-set-up", "no-verdict", "above-one", "no-answer",
    "no-tear-down", "device", "exit", "children", "crash-at-end",
)  # fmt: skip


class Sums:
    def hello(self, options: Json) -> Json:
        self.options = options
        print("a suite that greets the wrong stream")
        os.system("echo so does what it starts")
        if "import" in options:
            importlib.import_module("nltk_that_needs_the_network")
        version = Path(options["version"]).read_text() if "version" in options else "1.0"
        notes = ["without fractions: OSError: no network"] if "part" in options else []
        return {"suite": "Sums", "version": version, "commit": "c0ffee", "notes": notes}

    def tasks(self, seed: int) -> list[Json]:
        names = self.options.get("tasks", "small large half").split()
        return [
            {
                "id": name,
                "apps": ["calculator"],
                "max_steps": 3,
                "labels": {"kind": "fault" if name in FAULTS else "sum"},
            }
            for name in names
        ]

    def set_up(self, task: str, seed: int, epoch: int, device: Json) -> Json:
        self.task, self.device = task, device
        print("setting up", task, flush=True)
        if task == "crash":
            sys.stderr.write("Segmentation fault in libsums\n")
            os.abort()
        if task == "exit":
            os._exit(7)
        if task == "hang":
            time.sleep(3600)
        if task == "children":
            child = subprocess.Popen(["sleep", "3600"])
            Path(self.options["pid"]).write_text(str(child.pid))
            time.sleep(3600)
        if task == "print":
            os.write(1, b"not JSON at all\n")
        if task == "import":
            importlib.import_module("nltk_that_needs_the_network")
        if task == "no-set-up":
            raise RuntimeError("the app store does not answer")
        if task == "device":
            raise SuiteError("device", "adb: device offline")
        if task == "no-answer":
            return {"instruction": ""}
        draw = random.Random(f"{seed} {task} {epoch}")
        self.terms = [draw.randrange(10 if task == "small" else 1000) for _ in range(2)]
        return {
            "instruction": "How much is {} + {}?".format(*self.terms),
            "params": {"terms": self.terms},
        }

    def evaluate(self, attempt: Json) -> Json:
        print("judging", flush=True)
        if self.task == "no-verdict":
            raise KeyError("battery level")
        if self.task == "above-one":
            return {"score": 2}
        if self.task == "crash-at-end":
            os.abort()
        right = attempt["answer"] == str(sum(self.terms))
        if not right:
            return {"score": 0, "reason": f"the answer is {attempt['answer']}"}
        return {"score": 0.5 if self.task == "half" else 1.0}

    def tear_down(self) -> None:
        if self.task == "no-tear-down":
            raise OSError("the tear-down failed")


serve(Sums())
