"""A vision-language model in a directory on this machine, run by transformers.

Takes the way that models were trained on: the processor's own chat template, the family's own
treatment of pictures, the model's device, and of what comes out the new tokens only
(https://huggingface.co/docs/transformers/main/en/tasks/image_text_to_text). Weights are read from
safetensors files only, and no code that a directory brings is run.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, TypeAlias, cast

import torch
import transformers
from jinja2 import TemplateError
from PIL import Image
from pydantic import JsonValue

from tapwright.core.messages import Message
from tapwright.errors import TapwrightError, install_command
from tapwright.models.batches import Batches
from tapwright.models.errors import LOCAL_MODEL, ModelRefusedError
from tapwright.models.local import LOAD_ERRORS, chat_turn, check_device, check_directory, tell_error
from tapwright.models.model import Completion, Prepare, ReadOutputs, Usage

__all__ = ["HandedProcessor", "TransformersModel"]


class HandedProcessor:
    """All that the processor has; what it makes of a question goes to the device of the model.

    Functions of a user's get it: "cuda" is the model's own device. Those that follow
    https://github.com/open-compass/MMBench-GUI/blob/896ddf1/DEFAULT_FUNCTIONS.md end in
    `inputs.to("cuda")`, and hand over a wrapper of the processor, too.
    """

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


@dataclass(frozen=True, slots=True)
class _Handed:
    """A question that functions of the user's prepare, and whose outputs they may read."""

    prepare: Prepare
    read: ReadOutputs | None


_Question: TypeAlias = Sequence[Message] | _Handed
_Answer: TypeAlias = Completion | TapwrightError


@dataclass(frozen=True, slots=True)
class _Request:
    """One conversation as transformers spells it, as its chat template writes it, its pictures."""

    conversation: list[dict[str, Any]]
    text: str
    pictures: list[Image.Image]


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The content of a directory. `vision` treats pictures as the family does, if it has that.

    `positions` is how many tokens a question and its answer may have together.
    """

    processor: Any
    model: Any
    vision: Callable[..., Any] | None
    ends: frozenset[int]
    positions: int


class TransformersModel:
    """The model in the directory `name`; requests that wait together are answered together.

    `max_tokens` bounds an answer, `batch` the requests that are answered at a time. `device` is
    torch's name for where it runs: by default the first GPU if there is one. The most likely token
    is taken each time, so that the same question has the same answer, unless a `temperature` above
    0 leaves it to chance. It is loaded with the first request.
    """

    takes: ClassVar[Mapping[str, type[float | str]]] = {
        "max_tokens": int, "batch": int, "device": str, "temperature": float,
    }  # fmt: skip
    """The settings that `--set` may give it."""

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        max_tokens: int = 2048,
        batch: int = 8,
        device: str = "",
        temperature: float = 0.0,
    ) -> None:
        """Check that the directory is one of a model; it has no server, and so needs no key.

        Raises:
            ModelError: it is not, or a `device` was named that this machine has not.
        """
        self._path = check_directory(name)
        if device:
            check_device(device)
        self._max_tokens = max_tokens
        self._batch = batch
        self._device = device or _accelerator()
        self._temperature = temperature
        self._batches: Batches[_Question, _Answer] = Batches(self._answers, most=batch)
        self._loaded: _Loaded | None = None

    @property
    def name(self) -> str:
        """The word "transformers/" and the directory as it was given."""
        return f"transformers/{self._path}"

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        """Limits, device and versions; batches are padded, which may move the last digits."""
        return {
            "max_tokens": self._max_tokens,
            "batch": self._batch,
            "device": self._device,
            **({"temperature": self._temperature} if self._temperature else {}),
            "transformers": transformers.__version__,
            "torch": torch.__version__,
        }

    async def complete(self, messages: Sequence[Message]) -> Completion:
        """Complete a conversation; `latency_s` is that of the whole batch.

        Raises:
            ModelError: it cannot be loaded, ran out of memory, or failed on the question.
            ModelRefusedError: its chat template has no words for this conversation, or that has
                more tokens than the model has positions.
            BadImageError: a picture cannot be decoded.
        """
        return _told(await self._batches.ask(messages))

    async def complete_by(self, prepare: Prepare, read: ReadOutputs | None) -> Completion:
        """The answer to what `prepare` makes, asked alone; see `LocalModel`."""
        return _told(await self._batches.ask(_Handed(prepare, read)))

    async def close(self) -> None:
        """Give its memory back; the next `complete` would load it again."""
        self._loaded = None

    def _request(self, messages: Sequence[Message]) -> _Request:
        conversation = [chat_turn(message, "image") for message in messages]
        processor = self._load().processor
        try:
            text = processor.apply_chat_template(
                conversation, tokenize=False, add_generation_prompt=True
            )
        except (TemplateError, TypeError, ValueError) as error:
            raise ModelRefusedError(
                f"{self.name}: its chat template does not take this conversation: "
                f"{tell_error(error)}",
                hint="see that the convention is the one that the model was trained in",
            ) from error
        pictures = [
            part["image"] for turn in conversation for part in turn["content"] if "image" in part
        ]
        return _Request(conversation, text, pictures)

    def _answers(self, questions: Sequence[_Question]) -> list[_Answer]:
        """The answer to each question, or the error why there is none."""
        answers: dict[int, _Answer] = {}
        requests: dict[int, _Request] = {}
        for number, messages in enumerate(questions):
            try:
                if isinstance(messages, _Handed):
                    answers[number] = self._answer_handed(messages)
                else:
                    requests[number] = self._request(messages)
            except TapwrightError as error:
                if error.fatal:
                    raise
                answers[number] = error
        # Not every processor takes questions with and without pictures at a time.
        for with_pictures in (True, False):
            chosen = {
                n: request
                for n, request in requests.items()
                if bool(request.pictures) == with_pictures
            }
            if chosen:
                made = self._generate(list(chosen.values()))
                answers.update(zip(chosen, made, strict=True))
        return [answers[number] for number in range(len(questions))]

    def _answer_handed(self, question: _Handed) -> _Answer:
        model = self._load().model
        processor = HandedProcessor(self._load().processor, model.device)
        found = question.prepare(model, processor)
        asked = dict(found) if isinstance(found, Mapping) else [self._request(found)]
        read = question.read
        own = None if read is None else lambda ids: read(ids, model, processor)
        return self._generate(asked, own)[0]

    def _generate(
        self,
        requests: Sequence[_Request] | dict[str, Any],
        read: Callable[[Any], str] | None = None,
    ) -> list[_Answer]:
        """The answers to requests, or to inputs that are prepared; `read` reads all ids of one."""
        loaded = self._load()
        started = monotonic()
        try:
            inputs = (
                transformers.BatchFeature(requests)
                if isinstance(requests, dict)
                else self._inputs(loaded, requests)
            ).to(loaded.model.device, loaded.model.dtype)
            longest = int(inputs["input_ids"].shape[1])
            if longest >= loaded.positions:
                if not isinstance(requests, dict) and len(requests) > 1:  # one is too long
                    return [answer for one in requests for answer in self._generate([one])]
                return [self._too_long(longest, loaded.positions)]
            # What a directory's own generation_config cuts off is not cut off of a sample.
            sampling: dict[str, Any] = {"do_sample": False}
            if self._temperature:
                sampling = {
                    "do_sample": True, "temperature": self._temperature, "top_k": 0, "top_p": 1.0,
                }  # fmt: skip
            with torch.inference_mode():
                ids = loaded.model.generate(
                    **inputs,
                    **sampling,
                    max_new_tokens=min(self._max_tokens, loaded.positions - longest),
                )
        except torch.OutOfMemoryError as error:
            raise LOCAL_MODEL(
                f"{self.name}: no memory left on {self._device} for {len(requests)} questions",
                hint="ask fewer at a time: --set batch=1",
            ) from error
        except LOAD_ERRORS as error:
            # Whatever a processor and a model that do not fit each other make of a question.
            raise LOCAL_MODEL(
                f"{self.name}: the model failed on a question: {tell_error(error)}",
                hint="see that tokenizer, processor and weights are of one model, "
                "and that the tokenizer has the token for a picture",
            ) from error
        new = ids if loaded.model.config.is_encoder_decoder else ids[:, longest:]
        texts = (
            [read(ids)]
            if read is not None
            else loaded.processor.batch_decode(
                new, skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
        )
        mask = inputs.get("attention_mask", torch.ones_like(inputs["input_ids"]))
        prompt_tokens = mask.sum(dim=1).tolist()
        took = monotonic() - started
        return [
            _completion(text, row, tokens, loaded.ends, took)
            # Of a function that prepared several questions, the first is the one that was asked.
            for text, row, tokens in zip(texts, new.tolist(), prompt_tokens, strict=read is None)
        ]

    def _too_long(self, tokens: int, positions: int) -> ModelRefusedError:
        return ModelRefusedError(
            f"{self.name}: a question of {tokens:,} tokens, pictures included; "
            f"the model has {positions:,} positions for question and answer",
            hint="smaller pictures (--max-pixels), or a shorter history (last:1)",
        )

    def _inputs(self, loaded: _Loaded, requests: Sequence[_Request]) -> Any:
        images: Any = [request.pictures for request in requests]
        if not any(images):
            images = None
        elif loaded.vision is not None:
            patch = loaded.processor.image_processor.patch_size
            images, _ = loaded.vision(
                [request.conversation for request in requests], image_patch_size=patch
            )
        texts = [request.text for request in requests]
        bos = loaded.processor.tokenizer.bos_token
        return loaded.processor(
            text=texts,
            images=images,
            padding=True,
            return_tensors="pt",
            # Most templates write the first token; it is not to come twice.
            add_special_tokens=not (bos and texts[0].startswith(bos)),
        )

    def _load(self) -> _Loaded:
        if self._loaded is None:
            try:
                with _no_bars():
                    self._loaded = _load(self._path, self._device)
            except LOAD_ERRORS as error:
                raise LOCAL_MODEL(
                    f"{self.name}: cannot be loaded on {self._device}: {tell_error(error)}",
                    hint="it needs config.json, *.safetensors, tokenizer and processor files of a "
                    "vision-language model that transformers knows; "
                    f"Qwen's also need: {install_command('qwen')}",
                ) from error
        return self._loaded


def _told(answer: _Answer) -> Completion:
    if isinstance(answer, TapwrightError):
        raise answer
    return answer


def _load(path: Path, device: str) -> _Loaded:
    known = {"local_files_only": True, "trust_remote_code": False}
    processor = transformers.AutoProcessor.from_pretrained(path, **known)
    # Models that listen are in the newer table alone, which has all of the other.
    table = getattr(
        transformers, "AutoModelForMultimodalLM", transformers.AutoModelForImageTextToText
    )
    model = table.from_pretrained(path, dtype="auto", use_safetensors=True, **known)
    tokenizer = processor.tokenizer
    tokenizer.padding_side = "left"  # what is generated follows the last token of each row
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    ends = model.generation_config.eos_token_id
    return _Loaded(
        processor,
        model.to(device).eval(),
        _vision(model.config.model_type),
        frozenset(ends if isinstance(ends, list) else [ends]),
        # Some families have no limit of their own.
        getattr(model.config.get_text_config(), "max_position_embeddings", None) or sys.maxsize,
    )


def _accelerator() -> str:
    # A build with CUDA names it on a machine that has none, unless it has to look.
    return str(torch.accelerator.current_accelerator(check_available=True) or "cpu")


def _vision(family: str) -> Callable[..., Any] | None:
    """Qwen's `process_vision_info`, which scales pictures as its models were trained on them.

    Without it the processor scales by the same rule, once and within its own limits.
    """
    if family.startswith("qwen") and find_spec("qwen_vl_utils"):
        return cast(Callable[..., Any], import_module("qwen_vl_utils").process_vision_info)
    return None


@contextmanager
def _no_bars() -> Iterator[None]:
    """Transformers draws no bars of its own over ours."""
    was_enabled = transformers.utils.logging.is_progress_bar_enabled()
    transformers.utils.logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_enabled:
            transformers.utils.logging.enable_progress_bar()


def _completion(
    text: str, row: Sequence[int], prompt_tokens: int, ends: frozenset[int], took_s: float
) -> Completion:
    end = next((number for number, token in enumerate(row, start=1) if token in ends), None)
    return Completion(
        text=text,
        usage=Usage(int(prompt_tokens), end or len(row)),
        latency_s=took_s,
        finish="length" if end is None else "stop",
    )
