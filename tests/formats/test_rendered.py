from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.conventions.android_tools import ANDROID_TOOLS_CONVENTION
from tapwright.core.actions import Wait
from tapwright.errors import UsageError
from tapwright.formats.exporters.chat_template import ChatTemplate
from tapwright.formats.exporters.pictures import PictureEncoder
from tapwright.formats.exporters.preview import render_preview, render_preview_html
from tapwright.formats.exporters.rendered import RENDERED
from tapwright.formats.exporters.samples import TrainingEpisode, make_samples
from tapwright.formats.exporters.training_set import SftSettings, TrainingSample
from tests.formats.training_sets import SETTINGS, TAP, TWO, MultiTurn, episode, export, rows, step

TEMPLATE = """\
{%- for message in messages -%}
<|im_start|>{{ message.role }}
{% if message.content is string %}{{ message.content }}{% else %}
{%- for part in message.content -%}
{%- if part.type == 'image' -%}<|vision_start|><|image_pad|><|vision_end|>
{%- else -%}{{ part.text }}{%- endif -%}
{%- endfor -%}{% endif %}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt -%}<|im_start|>assistant
{% endif -%}"""


def sample(settings: SftSettings, number: int = 0) -> TrainingSample:
    with PictureEncoder(settings) as pictures:
        found = list(
            make_samples([TrainingEpisode.from_episode(TWO[0])], frozenset(), pictures, settings)
        )[number]
    assert isinstance(found, TrainingSample)
    return found


def test_the_loss_is_on_what_the_model_writes(tmp_path: Path) -> None:
    settings = replace(SETTINGS, template=TEMPLATE, convention=MultiTurn(), val_share=0.0)
    export(RENDERED, TWO[:1], tmp_path / "set", settings)
    for row in rows(tmp_path / "set/train.jsonl"):
        ((start, end),) = row["spans"]
        text = row["prompt"] + row["completion"]
        assert text[start:end] == row["completion"]
        assert row["prompt"].endswith("<|im_start|>assistant\n")
        assert row["completion"].endswith("}<|im_end|>\n")
        assert row["prompt"].count("<|image_pad|>") == len(row["images"]) == row["step"] + 1


def test_android_tools_has_a_template_of_its_own(tmp_path: Path) -> None:
    settings = SftSettings(ANDROID_TOOLS_CONVENTION, val_share=0.0)
    export(RENDERED, TWO[:1], tmp_path / "set", settings)
    first = rows(tmp_path / "set/train.jsonl")[0]
    assert first["completion"].startswith('Because.!FUNCTIONCALL{"name": "tap"')
    assert first["completion"].endswith("<|eot_id|>\n")
    assert first["prompt"].count("<image>") == len(first["images"]) == 1


def test_a_convention_without_a_template_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    with pytest.raises(UsageError, match="json has no chat template"):
        export(RENDERED, TWO, tmp_path / "set")
    with pytest.raises(UsageError, match="the chat template, line 1"):
        export(RENDERED, TWO, tmp_path / "set", replace(SETTINGS, template="{% for %}"))
    assert list(tmp_path.iterdir()) == []


def test_what_a_template_refuses_is_left_out(tmp_path: Path) -> None:
    picky = "{% if 'wait' in messages[-1].content[0].text %}{{ raise_exception('no') }}{% endif %}"
    given = [episode("a", TAP, step(Wait()))]
    settings = replace(SETTINGS, template=picky + TEMPLATE)
    report = export(RENDERED, given, tmp_path / "set", settings)
    assert [one.reason for one in report.dropped] == ["its chat template refuses it: no"]


def test_a_template_that_marks_answers_renders_as_without_the_marks() -> None:
    source = "{% generation %}{{ messages | length }}{% endgeneration %}{{ {'é': [1]} | tojson }}"
    assert ChatTemplate(source)([{"role": "user", "content": ""}]) == '1{"é": [1]}'


def test_a_template_is_rendered_in_a_sandbox() -> None:
    import jinja2

    with pytest.raises(jinja2.TemplateError):
        ChatTemplate("{{ messages.__class__.__mro__ }}{{ messages.append(1) }}")([])


@pytest.mark.parametrize(
    "settings",
    [SETTINGS, replace(SETTINGS, template=TEMPLATE), SftSettings(ANDROID_TOOLS_CONVENTION)],
    ids=["turns", "template", "own"],
)
def test_a_preview_shows_every_picture_and_what_is_learned(settings: SftSettings) -> None:
    one = sample(settings)
    segments = render_preview(one, settings)
    assert [part.picture for part in segments if part.kind == "picture"] == one.pictures
    (learned,) = [part.text for part in segments if part.kind == "loss"]
    assert "Because." in learned
    assert segments[-1].kind == "loss"


def test_a_page_needs_no_other_file_and_escapes_what_was_recorded() -> None:
    given = replace(TWO[0], instruction="<script>alert(1)</script>")
    with PictureEncoder(SETTINGS) as pictures:
        one = next(
            make_samples([TrainingEpisode.from_episode(given)], frozenset(), pictures, SETTINGS)
        )
    assert isinstance(one, TrainingSample)
    page = render_preview_html(one, render_preview(one, SETTINGS))
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert page.count('src="data:image/png;base64,') == 1
    assert "http" not in page
