from importlib.util import find_spec

import pytest

from tapwright.errors import MissingExtraError, install_command
from tapwright.models import models


@pytest.mark.skipif(find_spec("vllm") is not None, reason="vLLM is installed")
def test_a_machine_without_vllm_is_told_how_to_get_it() -> None:
    with pytest.raises(MissingExtraError) as caught:
        models.get("vllm")("any")
    assert caught.value.hint == install_command("vllm")
