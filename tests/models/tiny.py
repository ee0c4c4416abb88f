"""A vision-language model of a few thousand random weights, in a directory as real ones are."""

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
_SPECIAL = ["<unk>", "<s>", "</s>", "<pad>", "<image>"]


def write_tiny_model(directory: Path, chat_template: str = CHAT_TEMPLATE) -> Path:
    """Write it; its answers are noise, but differ with the picture and the words."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate([*_SPECIAL, *letters])}
    backend = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        extra_special_tokens={"image_token": "<image>"},
    )
    torch.manual_seed(0)
    shape = {
        "hidden_size": 32,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "initializer_range": 1.0,
    }
    model = transformers.LlavaForConditionalGeneration(
        transformers.LlavaConfig(
            vision_config=transformers.CLIPVisionConfig(
                image_size=16, patch_size=8, initializer_factor=10.0, **shape
            ),
            text_config=transformers.LlamaConfig(
                vocab_size=len(vocabulary),
                max_position_embeddings=16384,
                bos_token_id=1,
                eos_token_id=2,
                pad_token_id=3,
                **shape,
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
