"""What transformers and torch raise of a directory or a device that they cannot use, in one line.

Nearly everything comes out of transformers: a JSON file that holds something else ends in a
TypeError, a field of another kind in a class of the hub library, a GPU that torch was built without
in an AssertionError.
"""

import torch
from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError

from tapwright.models.errors import LOCAL_MODEL

__all__ = ["LOAD_ERRORS", "check_device", "tell_error"]

LOAD_ERRORS = (
    AssertionError, AttributeError, ImportError, LookupError, OSError, RuntimeError,
    SafetensorError, StrictDataclassError, TypeError, ValueError,
)  # fmt: skip
_LENGTH = 300


def tell_error(error: Exception) -> str:
    """What an error says, in one line of at most 300 characters."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= _LENGTH else f"{text[: _LENGTH - 1]}…"


def check_device(device: str) -> None:
    """See that torch can use a device, such as "cuda:0".

    Raises:
        ModelError: this machine, or its torch, has no such device.
    """
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise LOCAL_MODEL(
            f"{device}: this machine, or its torch, has no such device: {tell_error(error)}",
            hint="name cpu, or none: --device of sft check, --set device=cpu of eval run; "
            "`nvidia-smi` lists a machine's GPUs",
        ) from error
