"""Whether a device that was asked for is there, told before any weights are read."""

import torch

from tapwright.models.errors import LOCAL_MODEL
from tapwright.models.load_errors import tell_error

__all__ = ["check_device"]


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
