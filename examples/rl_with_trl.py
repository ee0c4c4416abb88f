"""Teaches a small policy to click by reward alone: TRL's GRPO on a page of MiniWoB++.

    python examples/rl_with_trl.py

The policy sees the screen and says where to tap: one token for each field of 16 pixels, so that a
random one says something that is right at times. It reads nothing, and knows one page: this shows
the trainer, the environments and the rewards at work on a processor, in minutes. With a real
vision-language model the lines at the end of `teach` are the same, and `use_vllm=True` beside them:
a model of 3 billion parameters wants a GPU of 80 GB, 8 to 16 environments, and hours.

What is played lies in the store `rl/rollouts`, a group of each seed beside each other.
"""

import argparse
import os
import time
from pathlib import Path
from typing import Any

import torch
import transformers
import trl
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from datasets import Dataset
from tapwright import EpisodeStore
from tapwright.benchmarks.confidence_intervals import wilson
from tapwright.faces.task_set import TaskSet
from tapwright.faces.trl import EnvironmentFactory, environment

COLUMNS, ROWS, FIELD = 10, 13, 16  # the screen of 160x210, but for two rows of pixels
END, PICTURE = "<|im_end|>", "<|image_pad|>"
SPECIAL = ["<|endoftext|>", "<|im_start|>", END, PICTURE, "<|vision_start|>", "<|vision_end|>"]
NEVER = -1e4
CALL = '<tool_call>\n{{"name": "tap", "arguments": {{"x": {x:.3f}, "y": {y:.3f}}}}}\n</tool_call>'
PLACES = [
    ((column + 0.5) / COLUMNS, (row + 0.5) * FIELD / 210)
    for row in range(ROWS)
    for column in range(COLUMNS)
]
CALLS = [CALL.format(x=x, y=y) for x, y in PLACES]
TAUGHT_FROM = 1_000
"""The first seed that is taught; those before are asked."""


class Config(transformers.PretrainedConfig):  # type: ignore[misc]
    """Which tokens are calls, the end, and the place of a picture."""

    model_type = "clicker"

    def __init__(self, calls: int = 0, end: int = 0, image_token_id: int = 0, **rest: Any) -> None:
        self.calls, self.end, self.image_token_id = calls, end, image_token_id
        self.max_position_embeddings = 1 << 16
        super().__init__(**rest)

    @property
    def text_config(self) -> "Config":
        """What TRL reads the longest sequence off; there is nothing but this."""
        return self


class Sight(transformers.PreTrainedModel):  # type: ignore[misc]  # the library's types are not read
    """How much a tap on each field of the latest picture promises, and last, whether to end."""

    config_class = Config

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        layers: list[torch.nn.Module] = []
        for before, after, size in ((3, 16, 5), (16, 32, 3), (32, 48, 3), (48, 48, 3)):
            layers += [torch.nn.Conv2d(before, after, size, 2, size // 2), torch.nn.ReLU()]
        self.see = torch.nn.Sequential(*layers, torch.nn.Conv2d(48, 1, 1))
        self.post_init()

    def forward(self, input_ids: torch.Tensor, pixel_values: torch.Tensor, **_: Any) -> Any:
        """What stands at each position of a conversation: one call, and then the end."""
        calls = self.config.calls
        shown = (input_ids == self.config.image_token_id).flatten().cumsum(0).view_as(input_ids)
        said = ((input_ids >= calls) & (input_ids < calls + len(CALLS))).cumsum(1) > 0
        promises = self.see(pixel_values).flatten(1)[(shown - 1).clamp(min=0)]
        promises = promises.masked_fill(said[..., None], NEVER)
        ends = torch.where(said, 0.0, NEVER)[..., None]
        return transformers.modeling_outputs.BaseModelOutput(torch.cat((promises, ends), -1))


class Clicker(transformers.PreTrainedModel, transformers.GenerationMixin):  # type: ignore[misc]
    """A language model whose words are calls: one after the latest picture, and then no more."""

    config_class = Config
    base_model_prefix = "sight"
    main_input_name = "input_ids"

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.sight = Sight(config)
        self.spell = torch.nn.Linear(len(CALLS) + 1, config.vocab_size).requires_grad_(False)
        self.post_init()
        words = [*range(config.calls, config.calls + len(CALLS)), config.end]
        self.spell.weight.zero_()[words, range(len(words))] = 1.0
        self.spell.bias.fill_(NEVER)[words] = 0.0

    def get_output_embeddings(self) -> torch.nn.Module:
        """What makes words of what was seen; it learns nothing."""
        return self.spell

    def forward(
        self,
        input_ids: torch.Tensor,
        pixel_values: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        token_type_ids: torch.Tensor | None = None,
        **_: Any,
    ) -> Any:
        """The logits of the next token at each position."""
        seen = self.sight(input_ids, pixel_values).last_hidden_state
        return transformers.modeling_outputs.CausalLMOutput(logits=self.spell(seen))


class Eye(transformers.ProcessorMixin):  # type: ignore[misc]
    """The tokenizer, and the pictures as the policy sees them: one token for each."""

    def __init__(self, image_processor: Any, tokenizer: Any, chat_template: str) -> None:
        super().__init__(image_processor, tokenizer, chat_template=chat_template)

    def __call__(self, images: Any = None, text: Any = None, **options: Any) -> Any:
        """What the policy is given."""
        given = self.tokenizer([text] if isinstance(text, str) else text)
        flat = [picture for row in images or [] for picture in row or []]
        seen = self.image_processor(images=flat, return_tensors="pt") if flat else {}
        return transformers.BatchFeature({**given, **seen})


def make_policy() -> tuple[Clicker, Eye]:
    """A policy of 44,000 random weights, with Qwen3-VL's chat template as TRL has it."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate([*SPECIAL, *letters])}
    backend = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, eos_token=END, pad_token=SPECIAL[0], unk_token=SPECIAL[1]
    )
    tokenizer.add_tokens(SPECIAL[3:], special_tokens=True)
    tokenizer.add_tokens(CALLS)
    template = Path(trl.__file__).parent / "chat_templates" / "qwen3_vl.jinja"
    size = {"width": COLUMNS * FIELD, "height": ROWS * FIELD}
    eye = Eye(
        transformers.ViTImageProcessorPil(size=size),
        tokenizer,
        template.read_text(encoding="utf-8"),
    )
    first, end, picture = tokenizer.convert_tokens_to_ids([CALLS[0], END, PICTURE])
    config = Config(
        first, end, picture,
        vocab_size=len(tokenizer), eos_token_id=end, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    return Clicker(config), eye


def teach(factory: EnvironmentFactory, out: Path, updates: int, seed: int) -> trl.GRPOTrainer:
    """Play groups over other data of the page each time, and learn from what earned more."""
    transformers.set_seed(seed)
    policy, eye = make_policy()
    rows = factory.rows(seeds=range(TAUGHT_FROM, TAUGHT_FROM + updates))
    trainer = trl.GRPOTrainer(
        model=policy,
        processing_class=eye,
        environment_factory=factory,
        train_dataset=Dataset.from_list(rows),
        args=trl.GRPOConfig(
            output_dir=str(out),
            num_generations=factory.envs,
            per_device_train_batch_size=factory.envs,
            max_steps=updates,
            max_completion_length=4000,
            max_tool_calling_iterations=1,
            learning_rate=3e-3,
            lr_scheduler_type="constant",
            generation_kwargs={"use_cache": False},
            activation_checkpointing=False,
            logging_steps=1,
            save_strategy="no",
            report_to="none",
            use_cpu=True,
            disable_tqdm=True,
            seed=seed,
        ),
    )
    trainer.train()
    return trainer


def examine(policy: Clicker, eye: Eye, page: TaskSet, asked: int) -> int:
    """How many of the first seeds it does, none of which it was taught, by its likeliest tap."""
    done = 0
    with environment(page, actions=("tap",), envs=1) as factory:
        rollout: Any = factory()
        for seed in range(asked):
            _, shown = rollout.reset(seed=seed)
            given = eye([[shown["image"]]], PICTURE)
            with torch.no_grad():
                promises = policy.sight(
                    torch.tensor(given["input_ids"]), given["pixel_values"]
                ).last_hidden_state
            best = int(promises[0, -1, :-1].argmax())
            x, y = PLACES[best]
            rollout.tap(x=x, y=y)
            done += int(rollout.get_reward())
    return done


def main() -> None:
    """Teach, and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", default="click-test.0", help="a task of the suite miniwob")
    parser.add_argument("--updates", type=int, default=40)
    parser.add_argument("--envs", type=int, default=8, help="devices, and attempts of a group")
    parser.add_argument("--asked", type=int, default=100, help="seeds that it is measured on")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    out = Path("rl")
    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
    torch.set_num_threads(1)  # the rest is for the browsers
    page = TaskSet("miniwob", [TaskSet.read("miniwob").find(options.page)])
    transformers.set_seed(options.seed)
    untaught, eye = make_policy()  # of the weights with which the teaching begins
    report("untaught", examine(untaught, eye, page, options.asked), options.asked)
    begun = time.monotonic()
    store = EpisodeStore(out / "rollouts")
    with environment(page, actions=("tap",), envs=options.envs, store=store) as factory:
        trainer = teach(factory, out, options.updates, options.seed)
    print(f"{options.updates * options.envs} attempts in {time.monotonic() - begun:.0f} s")
    report("taught", examine(trainer.model, eye, page, options.asked), options.asked)


def report(what: str, done: int, asked: int) -> None:
    """One line, with the interval of 95 %."""
    interval = wilson(done, asked)
    within = f" ({interval.low:.0%} to {interval.high:.0%})" if interval else ""
    print(f"{what}: {done} of {asked}{within}")


if __name__ == "__main__":
    main()
