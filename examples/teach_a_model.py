"""Teach a small model where things are on a screen, and measure what it learnt, with controls.

Everything between the recordings and the score is tapwright's: elements out of recordings, a
training set, and `eval run` on screens that the training never showed. The model has two million
random weights of transformers' own classes (a ResNet before a GPT-2), TRL trains it, and nothing is
downloaded. Three controls tell what the score measures: the same questions about blank pictures,
about pictures of other screens, and looked up in the training by their words alone.

Run: python examples/teach_a_model.py
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import torch
import transformers
import trl
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

import datasets

CONVENTION = "mmbench-gui"
PIXELS = 57_000  # what a picture is scaled down to, in training and when it is asked about
ASKED = ("--convention", CONVENTION, "--max-pixels", PIXELS,
         "--set", "max_tokens=16", "--set", "batch=16")  # fmt: skip
SEEN = {"height": 352, "width": 160}  # what the model sees of it: 11 x 5 cells of 32 pixels
PAD, START, END, UNKNOWN, IMAGE = SPECIAL = ["<pad>", "<s>", "</s>", "<unk>", "<image>"]
TEMPLATE = """\
{%- for message in messages %}{% for part in message.content -%}
{{ '<image>' if part.type == 'image' else part.text }}
{%- endfor %}{% if message.role == 'assistant' %}</s>{% else %}<s>{% endif %}{% endfor %}"""


def main() -> None:
    options = read_options()
    out: Path = options.out
    train, held_out = options.train, options.held_out
    if train is None or held_out is None:
        train, held_out = record(out, options.recordings, options.tasks)
    make_sets(train, held_out, out)
    samples = datasets.load_dataset(str(out / "sft"))["train"]
    processor = make_processor(samples)
    model = make_model(processor, options.seed)
    print(f"{model.num_parameters():,} random weights, {len(samples)} samples to learn")
    teach(
        model, processor, samples, out / "trainer",
        samples=options.samples, batch=options.batch, seed=options.seed, device=options.device,
        checkpoints=options.checkpoints,
    )  # fmt: skip
    setting = ("--set", f"device={options.device}", *ASKED)
    curve = sorted((out / "trainer").glob("checkpoint-*"), key=steps_of)
    some = ("--sample", min(options.items, 200), *setting)
    print(f"\n{'learning curve: samples seen':42} % right (95 % interval)")
    for point in curve:
        score = measure(out / f"run-{point.name}", out / "bench", f"transformers/{point}", *some)
        print(f"{steps_of(point) * options.batch:<42,} {score}")
    print(f"\n{'l2, elements of screens not in training':42} % right (95 % interval)")
    taught, sample = f"transformers/{curve[-1]}", ("--sample", options.items)
    for label, run, subject, asked in (
        ("the model", "model", taught, setting),
        ("  with blank pictures", "blank", taught, (*setting, "--plan", "control=blank")),
        (
            "  with pictures of other screens",
            "swapped",
            taught,
            (*setting, "--plan", "control=swapped"),
        ),
        ("the words alone, looked up in training", "words", f"words/{out / 'aims'}", ()),
        ("rules that read the tree", "tree", "tree", ()),
        ("a random place", "random", "random", ()),
    ):
        score = measure(out / f"run-{run}", out / "bench", subject, *sample, *asked)
        print(f"{label:42} {score}")
    print(f"\n{tapwright('report', *sorted(out.glob('run-*')), '-o', out / 'report.html')}")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--train", type=Path, help="a store of recordings with trees")
    parser.add_argument("--held-out", type=Path, help="another one, to measure on")
    parser.add_argument("--recordings", type=int, default=26, help="runs of the suite to record")
    parser.add_argument("--tasks", type=int, default=25, help="how many tasks each of them plays")
    parser.add_argument("--samples", type=int, default=16_000, help="how many are taught")
    parser.add_argument("--items", type=int, default=600, help="how many are measured")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--checkpoints", type=int, default=5, help="points of the learning curve")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--out", type=Path, default=Path("teach"))
    options = parser.parse_args()
    if options.device != "cpu" and not torch.cuda.is_available():
        parser.error(f"--device {options.device}: no GPU is there; leave it out")
    return options


def tapwright(*words: object) -> str:
    """What a command of tapwright prints; its messages are passed on, and the last if it fails."""
    command = [sys.executable, "-m", "tapwright", *map(str, words)]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout


def record(out: Path, count: int, tasks: int) -> tuple[Path, Path]:
    """An agent that taps at random shows many screens; the last fifth of its runs is held out.

    Only English ones are kept, as a model this small has no time to learn two scripts.
    """
    for number in range(count):
        held_out = number >= count * 4 // 5
        store = out / ("held-out" if held_out else "train") / f"{number:03d}"
        tapwright("record", "--agent", "random", "--seed", number, "--limit", tasks,
                  "--device", "phone:jpeg,look=seed", "-o", store)  # fmt: skip
    for part in ("train", "held-out"):
        stores = sorted((out / part).iterdir())
        tapwright("episodes", "copy", *stores, out / f"{part}-all", "--same-id", "rename",
                  "--where", 'language == "en"')  # fmt: skip
    return out / "train-all", out / "held-out-all"


def make_sets(train: Path, held_out: Path, out: Path) -> None:
    """A training set of the elements of some recordings, a benchmark of others."""
    tapwright("eval", "make", train, "-o", out / "aims", "--only", "l2", "--per-screen", "30")
    tapwright("eval", "make", held_out, "-o", out / "bench", "--only", "l2", "--unlike", train)
    export(out / "aims", out / "sft", "--per-picture", 6)


def export(aims: Path, out: Path, *options: object) -> None:
    tapwright("sft", "export", aims, "--targets", "l2", "--convention", CONVENTION,
              "--to", "trl", "--max-pixels", PIXELS, "--jpeg", "90", "-o", out,
              *options)  # fmt: skip


def make_processor(samples: datasets.Dataset) -> Any:
    """A tokenizer of the set's own words, and the size in which pictures are seen.

    What all prompts have in common is one token each, as there is nothing to be learnt from it.
    """
    texts = [words(turns) for turns in samples["prompt"]]
    further = [words(turns[1::2]) for turns in samples["completion"]]
    backend = Tokenizer(models.BPE(unk_token=UNKNOWN))
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False)]
    )
    backend.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    backend.train_from_iterator(
        (text for one in texts + further for text in one),
        trainers.BpeTrainer(vocab_size=2000, special_tokens=SPECIAL, initial_alphabet=alphabet),
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, bos_token=START, eos_token=END, pad_token=PAD,
        unk_token=UNKNOWN, extra_special_tokens={"image_token": IMAGE},
    )  # fmt: skip
    tokenizer.add_tokens([common_start(column) for column in zip(*texts, strict=True)])
    images = CLIPImageProcessorPil(size=SEEN, do_center_crop=False)
    return transformers.LlavaProcessor(
        image_processor=images, tokenizer=tokenizer, patch_size=32,
        vision_feature_select_strategy="full", chat_template=TEMPLATE,
    )  # fmt: skip


def words(turns: Sequence[dict[str, Any]]) -> list[str]:
    """The text of each part of a prompt that has one."""
    return [part["text"] for turn in turns for part in turn["content"] if part["text"]]


def common_start(texts: Sequence[str]) -> str:
    """The words that all texts begin with."""
    first, last = min(texts), max(texts)
    same = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    )
    return first if same == len(first) else first[: first.rfind(" ", 0, same) + 1]


def make_model(processor: Any, seed: int) -> Any:
    transformers.set_seed(seed)
    tokenizer = processor.tokenizer
    vision = transformers.ResNetConfig(
        embedding_size=48, hidden_sizes=[32, 64, 96, 160], depths=[1, 1, 1, 1],
        layer_type="basic", hidden_size=160,
    )  # fmt: skip
    text = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_positions=512, n_embd=128, n_layer=3, n_head=4,
        bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id, tie_word_embeddings=False,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, initializer_range=0.06,
        activation_function="gelu_pytorch_tanh",  # the same as GPT-2's, in one step
    )  # fmt: skip
    config = transformers.FastVlmConfig(
        vision_config=vision, text_config=text, image_token_index=processor.image_token_id,
        image_seq_length=SEEN["height"] * SEEN["width"] // 32**2, tie_word_embeddings=False,
    )  # fmt: skip
    # A processor reads pictures faster where the colours of a pixel lie side by side.
    return transformers.FastVlmForConditionalGeneration(config).to(
        memory_format=torch.channels_last
    )


def teach(
    model: Any, processor: Any, rows: Any, out: Path, *, samples: int, batch: int, seed: int,
    device: str, checkpoints: int,
) -> None:  # fmt: skip
    """TRL counts the loss of the completions: the answers and the questions between them.

    The model is kept as often as is said, in directories of `out`, the last time at the end.
    """
    steps = max(1, samples // batch)
    config = trl.SFTConfig(
        output_dir=str(out),
        max_steps=steps,
        per_device_train_batch_size=batch,
        lr_scheduler_type="cosine",
        warmup_steps=min(50, steps // 10),
        max_length=None,
        use_cpu=device == "cpu",
        bf16=device != "cpu" or torch.cpu.get_capabilities().get("avx512_bf16", False),
        gradient_checkpointing=False,
        seed=seed,
        logging_steps=50,
        save_steps=max(1, steps // checkpoints),
        save_only_model=True,
        report_to=[],
    )
    trainer = Teacher(
        model=model, args=config, train_dataset=rows, processing_class=processor,
        optimizers=(MuonAndAdamW(model), None),
    )  # fmt: skip
    trainer.train()
    model.eval()


class Teacher(trl.SFTTrainer):  # type: ignore[misc]  # TRL has no types
    """On a processor TRL's own loss scores every token, those of the picture and padding, too."""

    def compute_loss(self, model: Any, inputs: dict[str, Any], *_: Any, **__: Any) -> Any:
        """The mean over the tokens that have labels; what rows are padded with stands behind."""
        labels, _ = inputs.pop("labels"), inputs.pop("attention_mask")
        (taught,) = (labels != -100).any(dim=0).nonzero(as_tuple=True)
        logits = model(**inputs, use_cache=False, logits_to_keep=taught - 1).logits
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels[:, taught].flatten())


class MuonAndAdamW(torch.optim.Optimizer):  # type: ignore[misc]
    """Muon for the matrices between embeddings and logits, AdamW for the rest, on one schedule."""

    def __init__(self, model: Any) -> None:
        outer = ("wte.weight", "wpe.weight", "lm_head.weight")
        matrices: list[Any] = []
        rest: list[Any] = []
        for name, weight in model.named_parameters():
            (matrices if weight.ndim == 2 and not name.endswith(outer) else rest).append(weight)
        self.muon = torch.optim.Muon(
            matrices, lr=4e-3, weight_decay=0.01, adjust_lr_fn="match_rms_adamw"
        )
        self.adamw = torch.optim.AdamW(
            rest, lr=2e-3, weight_decay=0.01, betas=(0.9, 0.95), fused=True
        )
        super().__init__([*self.muon.param_groups, *self.adamw.param_groups], {})

    def step(self, closure: Any = None) -> None:
        self.muon.step()
        self.adamw.step()


def steps_of(checkpoint: Path) -> int:
    """How many batches the model had seen that transformers kept here."""
    return int(checkpoint.name.rpartition("-")[2])


def measure(run: Path, data: Path, subject: str, *options: object) -> str:
    """The score of a model, or of rules, on the elements of `data`."""
    tapwright("eval", "run", "l2", "--data", data, "-m", subject, "-o", run, *options)
    (row,) = json.loads(tapwright("eval", "ls", run, "--format", "json"))
    return str(row["score"])


if __name__ == "__main__":
    main()
