"""litellm as it is installed, over HTTP to a server on this machine; skipped where it is not."""

import asyncio
import importlib.util
import json
import os
import subprocess
import sys

import pytest

from tapwright.core.messages import Message, Text
from tapwright.errors import ModelError
from tapwright.models import models
from tapwright.models.litellm import LiteLlmModel

KEY = "secret-0123456789"
_INSTALLED = importlib.util.find_spec("litellm") is not None
needs_litellm = pytest.mark.skipif(not _INSTALLED, reason="litellm is not installed")

# In a process of its own: litellm warns at its import, and its clients outlive a test's event loop.
_SCRIPT = """
import asyncio, json, sys
from tapwright.errors import TapwrightError
from tapwright.core.messages import Message, Text
from tapwright.models.litellm import LiteLlmModel
from tests.models.test_provider_wires import ProviderServer, claude

async def main():
    answer = claude({"type": "thinking", "thinking": "hm", "signature": "s"},
                    {"type": "text", "text": "yes"}, stop="end_turn")
    async with ProviderServer(answer) as server:
        extra = json.loads(sys.argv[1])
        model = LiteLlmModel("anthropic/claude-sonnet-4-5", base_url=server.url,
                             api_key="secret-0123456789", extra=extra, retries=0)
        try:
            found = await model.complete([Message("user", (Text("?"),))])
        except TapwrightError as error:
            print(json.dumps({"error": str(error)}))
            return
        path, headers, body = server.received[0]
        print(json.dumps({
            "text": found.text, "reasoning": found.reasoning, "finish": found.finish,
            "usage": [found.usage.input_tokens, found.usage.output_tokens],
            "path": path, "key": headers.get("x-api-key"), "body": body,
        }))
asyncio.run(main())
"""


def run(**extra: object) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, json.dumps(extra)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(["src", ".", *sys.path])},
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


@needs_litellm
def test_a_question_reaches_the_provider_and_its_answer_comes_back() -> None:
    found = run(temperature=0.5, seed=None)
    assert (found["text"], found["reasoning"], found["finish"]) == ("yes", "hm", "stop")
    assert found["usage"] == [12, 5]
    assert (found["path"], found["key"]) == ("/v1/messages", KEY)
    body = found["body"]
    assert isinstance(body, dict)
    assert (body["model"], body["max_tokens"], body["temperature"]) == (
        "claude-sonnet-4-5",
        2048,
        0.5,
    )


@needs_litellm
@pytest.mark.parametrize("name", ["aws_region_name", "extra_headers", "vertex_project"])
def test_a_setting_cannot_lead_a_key_elsewhere(name: str) -> None:
    assert "litellm's own" in str(run(**{name: "x"})["error"])


@pytest.mark.skipif(_INSTALLED, reason="litellm is installed")
def test_without_litellm_the_way_to_it_is_told() -> None:
    async def main() -> None:
        model = models.get("litellm")("mistral/mistral-large")
        await model.complete([Message("user", (Text("?"),))])

    with pytest.raises(ModelError) as caught:
        asyncio.run(main())
    assert "tapwright[litellm]" in caught.value.hint


def test_a_provider_needs_no_address() -> None:
    assert LiteLlmModel("azure/gpt").settings["base_url"] == "litellm"
    assert LiteLlmModel("azure/gpt", base_url="http://a:1/v1").base_url == "http://a:1/v1"
