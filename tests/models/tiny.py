"""Models that see or hear, of a few thousand random weights, in directories as real ones are."""

from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

CHAT_TEMPLATE = """\
{{- bos_token }}
{%- for message in messages %}
{%- if message.role == 'tool' %}{{ raise_exception('No tools here.') }}{% endif %}
{{- message.role }}: {% for part in message.content -%}
{{ '<image>' if part.type == 'image' else part.text }}
{%- endfor %}{{ '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}assistant: {% endif %}"""
_HEARS = "'<|audio_bos|><|AUDIO|><|audio_eos|>' if part.type == 'audio'"
_NAMES = ("audio_token", "audio_bos_token", "audio_eos_token")
_SPECIAL = ["<unk>", "<s>", "</s>", "<pad>"]
_SHAPE = {
    "hidden_size": 32,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "initializer_range": 1.0,
}


def write_tiny_model(directory: Path, chat_template: str = CHAT_TEMPLATE) -> Path:
    """Write it; its answers are noise, but differ with the picture and the words."""
    tokenizer = _make_tokenizer("<image>")
    torch.manual_seed(0)
    model = transformers.LlavaForConditionalGeneration(
        transformers.LlavaConfig(
            vision_config=transformers.CLIPVisionConfig(
                image_size=16, patch_size=8, initializer_factor=10.0, **_SHAPE
            ),
            text_config=transformers.LlamaConfig(
                vocab_size=len(tokenizer),
                max_position_embeddings=16384,
                bos_token_id=1,
                eos_token_id=2,
                pad_token_id=3,
                **_SHAPE,
            ),
            image_token_index=4,
            vision_feature_layer=-1,
        )
    )
    processor = transformers.LlavaProcessor(
        image_processor=CLIPImageProcessorPil(
            size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16}
        ),
        tokenizer=tokenizer,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=chat_template,
    )
    model.save_pretrained(directory)
    processor.save_pretrained(directory)
    return directory


def write_tiny_ears(directory: Path) -> Path:
    """Write a Qwen2-Audio, which hears one sound and sees nothing."""
    tokenizer = _make_tokenizer("<|AUDIO|>", "<|audio_bos|>", "<|audio_eos|>")
    template = CHAT_TEMPLATE.replace("'<image>' if part.type == 'image'", _HEARS)
    torch.manual_seed(0)
    hears = {"encoder_layers": 1, "encoder_attention_heads": 2, "encoder_ffn_dim": 32}
    model = transformers.Qwen2AudioForConditionalGeneration(
        transformers.Qwen2AudioConfig(
            audio_config={"num_mel_bins": 16, "d_model": 32, "max_source_positions": 150, **hears},
            text_config={
                "model_type": "qwen2", "vocab_size": len(tokenizer), "num_key_value_heads": 2,
                "max_position_embeddings": 16384, "bos_token_id": 1, "eos_token_id": 2,
                "pad_token_id": 3, **_SHAPE,
            },
            audio_token_index=4,
        )
    )  # fmt: skip
    with torch.no_grad():  # what is heard is to count beside the words
        for name, weights in model.named_parameters():
            if "projector" in name or "audio" in name:
                weights.mul_(20)
    processor = transformers.Qwen2AudioProcessor(
        feature_extractor=transformers.WhisperFeatureExtractor(feature_size=16, chunk_length=3),
        tokenizer=tokenizer,
        chat_template=template,
    )
    model.save_pretrained(directory)
    processor.save_pretrained(directory)
    return directory


def _make_tokenizer(*marks: str) -> transformers.PreTrainedTokenizerFast:
    """One token for each byte, and those that stand for what is no text."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = [*_SPECIAL, *marks, *letters]
    vocabulary = {token: number for number, token in enumerate(words)}
    backend = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    names = ("image_token",) if len(marks) == 1 else _NAMES
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        extra_special_tokens=dict(zip(names, marks, strict=True)),
    )
