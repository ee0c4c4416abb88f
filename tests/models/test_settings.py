import asyncio
import warnings
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.core.messages import Message, Text
from tapwright.errors import UsageError
from tapwright.models.endpoints import MAX_EQUAL_REFUSALS, MAX_OTHER_REFUSALS
from tapwright.models.errors import ModelRefusedError, ModelSettingWarning, RepeatedRefusalError
from tapwright.models.openai import OpenAIModel
from tapwright.models.settings import RequestSettings, check_settings
from tapwright.testing import FakeChatServer, Fault, HttpError

HELLO = [Message("user", (Text("hello"),))]
UNSUPPORTED = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. "
    "Use 'max_completion_tokens' instead."
)
UNSUPPORTED_VALUE = (
    "Unsupported value: 'temperature' does not support 0.0 with this model. "
    "Only the default (1) value is supported."
)
NAMES = st.sampled_from(["temperature", "max_tokens", "seed", "top_p"])
VALUES = st.one_of(st.none(), st.integers(), st.booleans())


@given(
    defaults=st.dictionaries(NAMES, VALUES),
    given_=st.dictionaries(NAMES, VALUES),
    more=st.dictionaries(NAMES, VALUES),
)
def test_what_a_user_unsets_is_never_sent(
    defaults: dict[str, JsonValue], given_: dict[str, JsonValue], more: dict[str, JsonValue]
) -> None:
    merged = RequestSettings(defaults, given_).merged(more)
    assert None not in merged.values()
    assert not {name for name, value in given_.items() if value is None} & merged.keys()
    assert all(merged[name] == more[name] for name in merged.keys() & more.keys())


def openai_o1(body: Mapping[str, JsonValue]) -> str | Fault:
    """Refuses what OpenAI's reasoning models refuse, one field at a time."""
    if "max_tokens" in body:
        return HttpError(400, UNSUPPORTED)
    if "temperature" in body:
        return HttpError(400, UNSUPPORTED_VALUE)
    return "yes"


def test_fields_that_a_server_refuses_are_renamed_or_left_out_with_one_warning_each() -> None:
    async def main(base_url: str) -> None:
        model = OpenAIModel("o1", base_url=base_url)
        await asyncio.gather(*(model.complete(HELLO) for _ in range(5)))
        completion = await model.complete_with(HELLO, {"temperature": 0.5})
        assert completion.changed == {
            "max_tokens": None, "max_completion_tokens": 2048, "temperature": None,
        }  # fmt: skip
        assert model.settings["temperature"] == 0.0  # what was wanted stays in the log
        await model.close()

    with (
        FakeChatServer(openai_o1) as server,
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        asyncio.run(main(server.base_url))
        last = server.received[-1].body
    assert [str(one.message).split("'")[1] for one in caught] == ["max_tokens", "temperature"]
    assert {one.category for one in caught} == {ModelSettingWarning}
    assert last == {
        "model": "o1",
        "messages": [{"role": "user", "content": "hello"}],
        "max_completion_tokens": 2048,
    }


def test_a_value_that_a_server_refuses_is_no_field_to_leave_out() -> None:
    async def main(base_url: str) -> None:
        model = OpenAIModel("any", base_url=base_url, extra={"temperature": 5})
        try:
            await model.complete(HELLO)
        finally:
            await model.close()

    fault = HttpError(400, "Invalid 'temperature': decimal above maximum value. Expected <= 2.")
    with FakeChatServer([fault]) as server, pytest.raises(ModelRefusedError, match="decimal above"):
        asyncio.run(main(server.base_url))


@pytest.mark.parametrize(
    ("fault", "limit"),
    [
        (HttpError(401, "Incorrect API key provided"), MAX_EQUAL_REFUSALS),
        (HttpError(404, "no such model"), MAX_EQUAL_REFUSALS),
        (HttpError(400, "the picture is too large"), MAX_OTHER_REFUSALS),
    ],
    ids=repr,
)
def test_equal_refusals_in_a_row_end_the_job(fault: Fault, limit: int) -> None:
    async def main(base_url: str) -> list[type[ModelRefusedError]]:
        model, kinds = OpenAIModel("any", base_url=base_url), []
        for _ in range(limit):
            try:
                await model.complete(HELLO)
            except ModelRefusedError as error:
                kinds.append(type(error))
        await model.close()
        return kinds

    with FakeChatServer([fault]) as server:
        kinds = asyncio.run(main(server.base_url))
    assert kinds == [ModelRefusedError] * (limit - 1) + [RepeatedRefusalError]
    assert RepeatedRefusalError.fatal


def test_an_answer_between_refusals_begins_the_count_anew() -> None:
    refusal = HttpError(403, "not for you")

    async def main(base_url: str) -> None:
        model = OpenAIModel("any", base_url=base_url)
        for _ in range(2 * MAX_EQUAL_REFUSALS):
            try:
                await model.complete(HELLO)
            except RepeatedRefusalError:
                pytest.fail("the refusals were not in a row")
            except ModelRefusedError:
                pass
        await model.close()

    with FakeChatServer([refusal, refusal, refusal, "yes"] * 4) as server:
        asyncio.run(main(server.base_url))


@pytest.mark.parametrize("name", ["api_key", "Authorization", "x-api-key", "aws_secret", "token"])
def test_a_secret_is_no_setting(name: str) -> None:
    with pytest.raises(UsageError, match="looks like a secret"):
        check_settings({name: "sk-1"})


@pytest.mark.parametrize("name", ["model", "messages", "api_base"])
def test_what_the_client_fills_is_no_setting(name: str) -> None:
    with pytest.raises(UsageError, match="filled by the client"):
        check_settings({name: "x"})


def test_a_time_limit_is_no_setting() -> None:
    with pytest.raises(UsageError, match="no field of a request") as caught:
        check_settings({"timeout": 5})
    assert "--timeout" in caught.value.hint


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens", "skip_special_tokens"])
def test_a_count_of_tokens_is_a_setting(name: str) -> None:
    check_settings({name: 5})
