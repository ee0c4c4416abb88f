"""A suite as a benchmark of CUBE: `cube test cube_suite.benchmark` in the folder above.

    pip install tapwright cube-standard        Python 3.12 or newer, cube-standard 0.1.0rc10

An episode has a device of its own. Places are fractions of the screen, the reward is the check's:
1 when the task is done. TAPWRIGHT_CUBE_SUITE names the suite, `phone` without it. Recordings of
CUBE's harness come back by `tapwright episodes import`.
"""

import io
import os
from typing import Any, ClassVar

from cube.benchmark import Benchmark, BenchmarkConfig, BenchmarkMetadata
from cube.core import Action, ActionSchema, AgentStop, Content, Observation, StepError
from cube.task import RuntimeContext, Task, TaskConfig, TaskMetadata
from cube.tool import AbstractTool, ToolConfig
from PIL import Image

from tapwright import __version__
from tapwright.core.actions import ActionAdapter, Finish
from tapwright.core.episode import Decision
from tapwright.core.geometry import Size
from tapwright.errors import TapwrightError
from tapwright.faces.session import Session, Turn
from tapwright.faces.task_set import TaskSet, device_opener
from tapwright.faces.tools import action_tools, read_decision, shrink_picture
from tapwright.tasks.solution import SolutionScript

SUITE = os.environ.get("TAPWRIGHT_CUBE_SUITE", "phone")
TASKS = TaskSet.read(SUITE)
PLAYED: dict[str, Session] = {}


class DeviceTool(AbstractTool):  # type: ignore[misc]
    """The hands of one episode; its screen is in what each action returns."""

    def __init__(self, device: str) -> None:
        self.session = Session(device_opener(device, SUITE)(), agent="cube")

    @property
    def action_set(self) -> list[ActionSchema]:
        own = [
            ActionSchema(name=one.name, description=one.description, parameters=dict(one.arguments))
            for one in action_tools("fraction")
        ]
        return [*own, ActionSchema(name="final_step", description="Stop the task execution.")]

    def execute_action(self, action: Action) -> Observation:
        if action.name == "final_step":
            if not self.session.turn.ended:
                self.session.act(Decision(Finish()))
            raise AgentStop
        try:
            decision = read_decision(action.name, action.arguments, "fraction", Size(1, 1))
            return observe(self.session.act(decision))
        except TapwrightError as error:
            return StepError.from_exception(error).to_observation()

    def close(self) -> None:
        self.session.close()


class DeviceToolConfig(ToolConfig):  # type: ignore[misc]
    device: str = ""

    def make(self, container: object = None) -> DeviceTool:
        return DeviceTool(self.device)


class DeviceTask(Task[TaskMetadata, DeviceTool]):  # type: ignore[misc]
    seed: int | None = None

    def reset(self) -> tuple[Observation, dict[str, Any]]:
        PLAYED[self.id] = self.tool.session
        turn = self.tool.session.reset(TASKS.find(self.id), seed=self.seed)
        asked = Observation.from_text(turn.instruction)
        return asked + observe(turn), {"task_id": self.id, "goal": turn.instruction}

    def evaluate(self, obs: Observation | None = None) -> tuple[float, dict[str, Any]]:
        turn = self.tool.session.turn
        return float(turn.outcome == "success"), {"outcome": turn.outcome, "score": turn.score}

    def finished(self, obs: Observation | None = None) -> bool:
        return bool(self.tool.session.turn.ended)


class DeviceTaskConfig(TaskConfig[TaskMetadata]):  # type: ignore[misc]
    def make(self, runtime_context: RuntimeContext | None = None) -> DeviceTask:
        return DeviceTask(
            metadata=self.metadata,
            tool_config=self.tool_config or DeviceToolConfig(),
            runtime_context=runtime_context,
            seed=self.seed,
        )


class DeviceBenchmark(Benchmark["DeviceBenchmarkConfig"]):  # type: ignore[misc]
    def _setup(self) -> None:
        """Devices are opened one by one, for each episode."""

    def close(self) -> None:
        """Nothing is shared."""


class DeviceBenchmarkConfig(BenchmarkConfig[TaskMetadata]):  # type: ignore[misc]
    benchmark_metadata: ClassVar[BenchmarkMetadata] = BenchmarkMetadata(
        name=f"tapwright-{SUITE}",
        version=__version__,
        description=f"The suite {SUITE} of tapwright",
        num_tasks=len(TASKS.tasks),
        tags=["gui"],
    )
    task_metadata: ClassVar[dict[str, TaskMetadata]] = {
        task.id: TaskMetadata(
            id=task.id,
            abstract_description=task.instruction,
            recommended_max_steps=task.max_steps,
        )
        for task in TASKS.tasks
    }
    task_config_class: ClassVar[type[TaskConfig]] = DeviceTaskConfig
    benchmark_class: ClassVar[type[Benchmark]] = DeviceBenchmark


def observe(turn: Turn) -> Observation:
    picture = shrink_picture(turn.observation.screenshot, 1568)
    image = Image.open(io.BytesIO(picture.data)).convert("RGB")
    shown = [Content.from_data(image, name="screenshot")]
    told = [turn.refused, turn.observation.message, *turn.instructions]
    return Observation(contents=[*(Content.from_data(text) for text in told if text), *shown])


def get_debug_benchmark() -> Any:
    """Two tasks, for `cube test`."""
    return DeviceBenchmarkConfig(tool_config=DeviceToolConfig()).subset_from_list(
        [task.id for task in TASKS.tasks if task.solution][:2]
    )


def make_debug_agent(task_id: str) -> Any:
    """Plays the task's own solution, which looks at the elements of the screen."""
    script = SolutionScript(TASKS.find(task_id).solution)

    def act(obs: Observation, action_set: list[ActionSchema]) -> Action:
        if script.done:
            return Action(name="final_step")
        action = script.decide(PLAYED[task_id].turn.observation).action
        arguments = ActionAdapter.dump_python(action, mode="json")
        return Action(name=arguments.pop("type"), arguments=arguments)

    return act
