"""The processor of a local model as functions of a user's get it: "cuda" is the model's own device.

Written for https://github.com/open-compass/MMBench-GUI/blob/896ddf1/DEFAULT_FUNCTIONS.md, whose
functions end in `inputs.to("cuda")`, and hand over a wrapper of the processor, too.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

__all__ = ["HandedProcessor"]


class HandedProcessor:
    """All that the processor has; what it makes of a question goes to the device of the model."""

    def __init__(self, processor: Any, device: torch.device) -> None:
        self._processor = processor
        self._device = device

    def __getattr__(self, name: str) -> Any:
        return getattr(self._processor, name)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The inputs, as the processor makes them; `to` knows where the model is."""
        made = self._processor(*args, **named)
        made.to = partial(self._move, made.to)
        return made

    def _move(self, move: Callable[..., Any], *args: Any, **named: Any) -> Any:
        if named.get("device") == "cuda":
            named["device"] = self._device
        return move(*(self._device if one == "cuda" else one for one in args), **named)
