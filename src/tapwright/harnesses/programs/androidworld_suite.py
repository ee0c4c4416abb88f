"""AndroidWorld's side of the protocol, run by the Python that has android_world (d9c569f).

Tasks, parameters, set-up, evaluators and reset of apps are its own. Parameters are drawn as its
`suite_utils.create_suite` draws them: the same seed gives the same tasks as its `run.py
--task_random_seed`, and epoch N those of its combination N. Between it and the phone stands the
`adb` program and nothing else: what it gets from the emulator's gRPC and from its forwarder app
elsewhere, the elements on the screen, comes from uiautomator here.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

from tapwright_suite import Json, SuiteError, commit_of, serve, version_of

_FAMILY = "android_world"
_ADB_S = 120.0


class AndroidWorldSuite:
    """One phone at a time, found by its serial at an adb server."""

    def __init__(self) -> None:
        self._registry: dict[str, Any] = {}
        self._env: Any = None
        self._task: Any = None
        self._device: Json = {}

    def hello(self, options: Json) -> Json:
        """Import it, which takes seconds."""
        import android_world
        from android_world import registry

        self._registry = registry.TaskRegistry().get_registry(_FAMILY)
        return {
            "suite": "AndroidWorld",
            "version": version_of("android_world"),
            "commit": commit_of("android_world", registry.__file__ or android_world.__path__[0]),
        }

    def tasks(self, seed: int) -> list[Json]:
        """All of the family, by name; step budgets as its `run.py` gives them to M3A and T3A."""
        found = []
        for name in sorted(self._registry):
            task = self._make(name, seed, 1)
            found.append(
                {
                    "id": name,
                    "instruction": "" if "{" in task.template else task.goal,
                    "apps": [app for app in task.app_names if app],
                    "max_steps": int(10 * task.complexity),
                }
            )
        return found

    def set_up(self, task: str, seed: int, epoch: int, device: Json) -> Json:
        """Time, apps and data as the task wants them, then the home screen where it begins."""
        if task not in self._registry:
            raise SuiteError("setup", f"no task {task!r}")
        self._device = device
        self._env = _environment(device)
        self._task = self._make(task, seed, epoch)
        with self._reached():
            self._task.initialize_task(self._env)
            self._env.interaction_cache = ""
            if self._task.start_on_home_screen:
                from android_world.env import adb_utils

                adb_utils.press_home_button(self._env.controller)
        return {"instruction": self._task.goal, "params": _plain(self._task.params)}

    def evaluate(self, attempt: Json) -> Json:
        """Its evaluator's score, 0 for an agent that never said that it was done."""
        self._env.interaction_cache = attempt["answer"] or ""
        with self._reached():
            score = float(self._task.is_successful(self._env))
        if not attempt["ended"]:
            said = f"the agent did not say that it was done; the evaluator says {score:g}"
            return {"score": 0.0, "reason": said}
        return {"score": min(1.0, max(0.0, score)), "reason": ""}

    def tear_down(self) -> None:
        """Reset its apps."""
        task, self._task = self._task, None
        if task is not None and task.initialized:
            task.tear_down(self._env)

    @contextlib.contextmanager
    def _reached(self) -> Iterator[None]:
        """Tell a phone that is gone from a task that goes wrong: both fail in some adb command."""
        try:
            yield
        except Exception as error:
            state = _adb(self._device, "get-state")
            if state != "device":
                raise SuiteError("device", f"the phone is not reached: {state}") from error
            raise

    def _make(self, name: str, seed: int, epoch: int) -> Any:
        """One instance of a task, as `suite_utils.create_suite` makes it."""
        drawn = hashlib.sha256(f"{seed}_{name}_{epoch - 1}".encode()).hexdigest()
        instance_seed = int(drawn, 16) % 2**32
        kind = self._registry[name]
        kind.set_device_time(self._env)
        random.seed(instance_seed)
        params = kind.generate_random_params()
        params["seed"] = instance_seed
        return kind(params)


def _environment(device: Json) -> Any:
    """Its environment, on the phone at an address."""
    if device.get("kind") != "adb":
        raise SuiteError("device", f"AndroidWorld plays on a phone (--device adb); got {device}")
    import numpy as np
    from android_env import env_interface
    from android_env.components import adb_call_parser, adb_controller, config_classes
    from android_world.env import adb_utils, android_world_controller, interface

    program = device.get("program") or shutil.which("adb")
    if not program:
        raise SuiteError("device", "the program adb is not on PATH")

    class Controller(adb_controller.AdbController):  # type: ignore[misc]
        """Talks to any server, and never restarts one: others play on it, too."""

        def command_prefix(self, include_device_name: bool = True) -> list[str]:
            words = [program, "-H", device["host"], "-P", str(device["port"])]
            return [*words, "-s", device["serial"]] if include_device_name else words

        def _restart_server(self, timeout: float | None = None) -> None:
            pass

    config = config_classes.AdbControllerConfig(
        adb_path=program,
        adb_server_port=device["port"],
        device_name=device["serial"],
        default_timeout=_ADB_S,
    )

    class Phone(env_interface.AndroidEnvInterface):  # type: ignore[misc]
        """The part of android_env that evaluators use."""

        def __init__(self) -> None:
            self._parser = adb_call_parser.AdbCallParser(Controller(config))

        def execute_adb_call(self, call: Any) -> Any:
            return self._parser.parse(call)

        def action_spec(self) -> dict[str, Any]:
            return {}

        def observation_spec(self) -> dict[str, Any]:
            return {}

        def reset(self) -> Any:
            raise SuiteError("setup", "an evaluator wants to step the phone itself")

        def step(self, action: Any) -> Any:
            return self.reset()

        def close(self) -> None:
            pass

    class Env(interface.AsyncAndroidEnv):  # type: ignore[misc]
        """Its environment, whose screen is read by uiautomator; no evaluator looks at pixels."""

        def reset(self, go_home: bool = False) -> Any:
            if go_home:
                adb_utils.press_home_button(self.controller)
            self.interaction_cache = ""
            return self._get_state()

        def _get_state(self) -> Any:
            elements = self.controller.get_ui_elements()
            return interface.State(
                pixels=np.zeros((1, 1, 3), np.uint8),
                forest=_forest(elements),
                ui_elements=elements,
                auxiliaries={},
            )

    return Env(
        android_world_controller.AndroidWorldController(
            Phone(), android_world_controller.A11yMethod.UIAUTOMATOR
        )
    )


def _forest(elements: list[Any]) -> Any:
    """What its forwarder app would send, as far as uiautomator tells it."""
    from android_env.proto.a11y import android_accessibility_forest_pb2

    forest = android_accessibility_forest_pb2.AndroidAccessibilityForest()
    nodes = forest.windows.add().tree.nodes
    for element in elements:
        box = element.bbox_pixels
        node = nodes.add(
            text=element.text or "",
            content_description=element.content_description or "",
            class_name=element.class_name or "",
            package_name=element.package_name or "",
            view_id_resource_name=element.resource_name or element.resource_id or "",
            is_checked=bool(element.is_checked),
            is_checkable=bool(element.is_checkable),
            is_clickable=bool(element.is_clickable),
            is_editable=bool(element.is_editable),
            is_enabled=bool(element.is_enabled),
            is_focused=bool(element.is_focused),
            is_focusable=bool(element.is_focusable),
            is_selected=bool(element.is_selected),
            is_visible_to_user=True,
        )
        if box is not None:
            bounds = node.bounds_in_screen
            bounds.left, bounds.top = int(box.x_min), int(box.y_min)
            bounds.right, bounds.bottom = int(box.x_max), int(box.y_max)
    return forest


def _adb(device: Json, *words: str) -> str:
    """What an adb command says, of whatever it says."""
    place = ["-H", device["host"], "-P", str(device["port"]), "-s", device["serial"]]
    try:
        done = subprocess.run(
            [device.get("program") or "adb", *place, *words],
            capture_output=True,
            text=True,
            timeout=_ADB_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return (done.stdout or done.stderr).strip()


def _plain(value: Any) -> Any:
    """Parameters as JSON; what it has no words for as text."""
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(one) for one in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    fields = getattr(value, "__dict__", None)
    return _plain(fields) if fields else str(value)


if __name__ == "__main__":
    with contextlib.suppress(KeyError):
        del os.environ["ANDROID_ADB_SERVER_PORT"]
    serve(AndroidWorldSuite())
