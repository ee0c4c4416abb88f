"""A policy of a few thousand random weights that can do nothing but call one tool at some places.

Each of its calls is one token, so that a random model makes some, and a trainer has something to
compare.
"""

from pathlib import Path

import torch
import transformers
import trl
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

END = "<|im_end|>"
_SPECIAL = ["<|endoftext|>", "<|im_start|>", END]
_COLUMNS, _ROWS = 3, 5


def calls() -> list[str]:
    """The texts of the tool's calls, a tap in the middle of each field of a grid."""
    places = [
        ((column + 0.5) / _COLUMNS, 0.25 + 0.75 * (row + 0.5) / _ROWS)
        for column in range(_COLUMNS)
        for row in range(_ROWS)
    ]
    return [
        f'<tool_call>\n{{"name": "tap", "arguments": {{"x": {x:.3f}, "y": {y:.3f}}}}}\n</tool_call>'
        for x, y in places
    ]


def make_policy() -> tuple[transformers.PreTrainedModel, transformers.PreTrainedTokenizerFast]:
    """The model, and its tokenizer with Qwen3's chat template as TRL has it."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate([*_SPECIAL, *letters])}
    backend = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, eos_token=END, pad_token=_SPECIAL[0]
    )
    tokenizer.add_tokens(calls())
    template = Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja"
    tokenizer.chat_template = template.read_text(encoding="utf-8")
    torch.manual_seed(0)
    model = transformers.Qwen3ForCausalLM(
        transformers.Qwen3Config(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=2,
            head_dim=16,
            max_position_embeddings=16384,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
    return model, tokenizer


def unused_tokens(tokenizer: transformers.PreTrainedTokenizerFast) -> list[int]:
    """All but the calls and the end, for a generation to leave out."""
    used = {tokenizer.convert_tokens_to_ids(one) for one in (*calls(), END)}
    return [number for number in range(len(tokenizer)) if number not in used]
