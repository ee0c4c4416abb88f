"""A suite of tasks of your own, judged by a program that may need packages of its own.

This one asks sums, on any device. The file is both: what tapwright imports, and the program that
it starts, which speaks JSON lines.

Play it: tapwright eval run own:Own.load --suite-python python3 -m random -o runs/own
"""

import random
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # the program, on a Python that may have nothing else
    from tapwright_suite import serve

    class Sums:
        """The tasks, set up one at a time, and judged when the attempt has ended."""

        terms: list[int]

        def hello(self, options: dict[str, str]) -> dict[str, Any]:
            """Says what it is; `options` are the values of --suite-option."""
            return {"suite": "own", "version": "1.0", "commit": ""}

        def tasks(self, seed: int) -> list[dict[str, Any]]:
            """All tasks, in the same order each time."""
            return [{"id": "small", "max_steps": 3}, {"id": "large", "max_steps": 3}]

        def set_up(
            self, task: str, seed: int, epoch: int, device: dict[str, Any]
        ) -> dict[str, Any]:
            """Prepares one task; the same seed gives the same task."""
            draw = random.Random(f"{task} {seed} {epoch}")
            self.terms = [draw.randrange(10 if task == "small" else 1000) for _ in range(2)]
            asked = "How much is {} + {}?".format(*self.terms)
            return {"instruction": asked, "params": {"terms": self.terms}}

        def evaluate(self, attempt: dict[str, Any]) -> dict[str, Any]:
            """From 0 to 1, and why."""
            right = attempt["answer"] == str(sum(self.terms))
            return {"score": float(right), "reason": f"the answer is {attempt['answer']}"}

        def tear_down(self) -> None:
            """Undoes `set_up`."""

    serve(Sums())
else:
    from tapwright.benchmarks.suite import SuiteBenchmark
    from tapwright.harnesses.harness import Harness

    class Own(SuiteBenchmark):
        """What `eval run` plays: the facts, and the program."""

        suite = Harness(name="own", title="Sums", program=Path(__file__).absolute(), device="fake")
