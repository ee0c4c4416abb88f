"""What transformers raises of a model's directory that it cannot use, told in one line.

Nearly everything comes out of it: a JSON file that holds something else ends in a TypeError, a
field of another kind in a class of huggingface_hub's, a GPU that torch was built without in an
AssertionError.
"""

from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError

__all__ = ["LOAD_ERRORS", "tell_error"]

LOAD_ERRORS = (
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    OSError,
    RuntimeError,
    SafetensorError,
    StrictDataclassError,
    TypeError,
    ValueError,
)
_LENGTH = 300


def tell_error(error: Exception) -> str:
    """What an error says, in one line of at most 300 characters."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= _LENGTH else f"{text[: _LENGTH - 1]}…"
