"""Make L2 from two recorded screens, and measure a model on it; here the model is scripted.

For a real one, take `OpenAIModel("name", base_url="http://127.0.0.1:8000/v1")` in its place.

Run: python examples/measure_a_model.py
"""

import asyncio
import tempfile
from pathlib import Path

from tapwright import Decision, Episode, Point, Step, Tap
from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.devices.phone.device import Phone
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run import evaluate
from tapwright.models.scripted import ScriptedModel


def main() -> None:
    with Phone() as phone:
        steps = []
        for app in ("settings", "clock"):
            phone.reset(app=app)
            steps.append(Step(phone.observe(), Decision(Tap(at=Point(0.5, 0.5)))))
    episode = Episode(id="two", task_id="look", instruction="Look around", steps=tuple(steps))
    with tempfile.TemporaryDirectory() as directory:
        counts = make_benchmarks([episode], Path(directory) / "bench")
        print(counts)
        run = asyncio.run(
            evaluate(
                GroundingBenchmark(Path(directory) / "bench"),
                ScriptedModel(["(0.5, 0.2)"]),
                Path(directory) / "run",
                RunPlan(space="fraction"),
            )
        )
        for row in run.rows:
            print("hit " if row.score else "miss", row.answer, "for", row.about.instruction)


if __name__ == "__main__":
    main()
