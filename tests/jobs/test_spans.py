"""Spans of a run: an episode, its steps and requests, where OpenTelemetry is set up."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tapwright.jobs.spans import span
from tests.faces.environments import face_python, with_sources

RUN = """
import asyncio, json
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tapwright import Environment
from tapwright.agents.model import ModelAgent
from tapwright.conventions import conventions
from tapwright.devices.fake import FakeDevice
from tapwright.environment.rollout import rollout
from tapwright.errors import ModelError, TapwrightError
from tapwright.faces.session import make_free_task
from tapwright.models.scripted import ScriptedModel

kept = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(kept))
trace.set_tracer_provider(provider)


def fail(_):
    raise ModelError("the server is gone")


def play(answers):
    agent = ModelAgent(ScriptedModel(answers), conventions.get("json"))
    return rollout(agent, Environment(FakeDevice(), make_free_task("Go")))


wait, finish = ('{"action": {"type": "%s"}}' % kind for kind in ("wait", "finish"))
asyncio.run(play([wait, finish]))
try:
    asyncio.run(play(fail))
except TapwrightError:
    pass
told = [
    {"name": one.name, "kind": one.kind.name, "status": one.status.status_code.name,
     "parent": one.parent.span_id if one.parent else None, "id": one.context.span_id,
     "told": {name: value for name, value in one.attributes.items()},
     "said": [one.status.description, *(str(dict(each.attributes)) for each in one.events)]}
    for one in kept.get_finished_spans()
]
print(json.dumps(told))
"""


def test_nothing_is_imported_and_nothing_told_where_it_is_not_set_up() -> None:
    code = (
        "import sys; from tapwright.jobs.spans import span\n"
        "with span('x', {}) as one: one.set_attributes({'a': 1})\n"
        "assert 'opentelemetry' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=with_sources())
    with span("outer", {}) as outer, span("inner", {}, is_request=True) as inner:
        assert outer is inner


@pytest.mark.slow
def test_an_episode_has_steps_and_they_have_requests(tmp_path: Path) -> None:
    run = subprocess.run(
        [face_python("otel"), "-c", RUN],
        env=with_sources(), cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    told = json.loads(run.stdout)
    by_id = {one["id"]: one for one in told}
    episode = next(one for one in told if one["name"].startswith("invoke_agent"))
    requests = [one for one in told if one["name"].startswith("chat ")]
    steps = [by_id[one["parent"]] for one in requests]
    assert [one["name"] for one in steps] == ["step 0", "step 1", "step 0"]
    assert [one["told"].get("tapwright.actions") for one in steps] == [["wait"], ["finish"], None]
    assert steps[0]["parent"] == steps[1]["parent"] == episode["id"]
    assert episode["told"]["tapwright.steps"] == 2
    assert episode["told"]["tapwright.outcome"] == "success"  # as its agent says: nothing judges it
    assert {one["kind"] for one in requests} == {"CLIENT"}
    assert requests[0]["told"]["gen_ai.operation.name"] == "chat"
    assert [one["status"] for one in requests] == ["UNSET", "UNSET", "ERROR"]
    assert "error.type" in requests[2]["told"]
    # An error's message may quote a prompt or an answer.
    assert {tuple(one["said"]) for one in told} == {(None,)}
    assert "Go" not in run.stdout
