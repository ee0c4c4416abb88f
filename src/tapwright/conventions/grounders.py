"""Models that find one element on a screen: one prompt, unit, size and form of answer each.

They follow the evaluation that published their scores, named by each `source`:
https://github.com/likaixin2000/ScreenSpot-Pro-GUI-Grounding (`models/*.py`) or the family's own
repository. `os-atlas-base-7b` ends with the quotation mark that ScreenSpot-Pro's file has and the
model card has not, `internvl2` with its "ß". `ui-r1`, `gui-r1` and `ui-agile` have the word
`<image>` that their text begins with; their training data asks in other words, without it.
`uground-v1` has the prompt of its service, with which its scores were taken. `jedi` follows
OSWorld's agent, of which only a mirror could be had, with the doubled braces that it sends; that
waiting means "no such element" is from OSWorld-G's prompt.
`ferret-ui` asks in the words of its sample questions, with the first of its training's endings.
`fuyu` takes what is answered as fractions, as that file does. Qwen2.5-VL's own limits of pixels,
3136 and 12,845,056, are those of the families that build on it and name none. The place of
GUI-Actor, GUI-AIMA and FocusUI is in their attention: the answer is what their own `inference`
returns, as JSON, whose first point counts.

The Holos share no limit of pixels, prompt or unit, and `holo` is Holo1 by the name that it had
first: https://github.com/hcompai/hai-cookbook/tree/2ba89619bdcfe729d31649d976bdaa7b9551e216 and,
for Holo1.5, ScreenSpot-Pro's file. Each reads `Click(x, y)` and the objects that guided decoding
gives.

Phi-Ground answers in thousandths of a white canvas of 1008x672 pixels, in whose corner the screen
stands, scaled (Lanczos) until it fills the canvas in one direction (https://github.com/microsoft/
Phi-Ground/blob/395640833d9b4748446d007257d87924df733ecb/examples/call_example.py).

MMBench-GUI's own evaluation (L2) takes numbers up to 1 as fractions and others as pixels; here they
are pixels, and are never guessed.
"""

import re
from dataclasses import dataclass, replace

from pydantic import JsonValue

from tapwright.conventions import parsing
from tapwright.conventions.convention import Space
from tapwright.conventions.element_grounder import NUMBER, ElementGrounder, PlaceForm
from tapwright.conventions.family import OneTurn
from tapwright.conventions.grounding import place_of
from tapwright.conventions.resize import OPENCUA, QWEN3_VL, AreaLimit, FitInto, Resize, SmartResize
from tapwright.conventions.sent_pictures import SentFilter
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size

_PAIR = rf"{NUMBER}\s*+,\s*+{NUMBER}"
_BRACKETED = re.compile(rf"[(\[]\s*+{_PAIR}\s*+[)\]]")
_POINT_OR_BOX = re.compile(rf"[(\[]\s*+{_PAIR}(?:\s*+[)\]]?+\s*+,\s*+[(\[]?+\s*+{_PAIR})?+")
_PLAIN = re.compile(rf"(?<![\d.]){_PAIR}")
_PLAIN_BOX = re.compile(rf"(?<![\d.]){_PAIR}\s*+,\s*+{_PAIR}")
_TWO_NUMBERS = re.compile(rf"(?<![\d.]){NUMBER}[^\d.+-]{{1,20}}+{NUMBER}")
_COORDINATE = re.compile(rf"""["']coordinate["']\s*+:\s*+\[\s*+{_PAIR}\s*+\]""")
_DOUBLE_POINT = re.compile(rf"\[\[\s*+{_PAIR}\s*+\]\]")
_DOUBLE_BOX = re.compile(rf"\[\[\s*+{_PAIR}\s*+,\s*+{_PAIR}\s*+\]\]")
_SPACED = rf"{NUMBER} {NUMBER}"
_CALL = '<tool_call>\n{"name": "computer_use", "arguments": {"action": %s}}\n</tool_call>'
_ANSWERED = "<answer>[{'action': 'click', '%s': [{x}, {y}]%s}]</answer>"
_QWEN = OPENCUA  # the limits in the processor's configuration of Qwen2.5-VL
_SSP = "likaixin2000/ScreenSpot-Pro-GUI-Grounding@bd8bbbb models/"


def _row(
    name: str,
    source: str,
    space: Space,
    form: PlaceForm,
    resize: Resize | None = None,
    *,
    sends: bool = False,
    system: bool = False,
    trains: str = "",
) -> ElementGrounder:
    """A model; `sends` is whether its client sends the resized picture, else the server resizes."""
    return ElementGrounder(
        name=name,
        source=source,
        space=space,
        form=form,
        resize=resize,
        sends=resize if sends else None,
        asks=OneTurn("{template}", system=f"{{template:{name}-system}}" if system else ""),
        trains=OneTurn(trains) if trains else None,
    )


def _boxes(text: str, marks: str, *, spaced: bool = False) -> PlaceForm:
    """A box between marks, and the numbers alone where there are no marks."""
    begin, end = marks.split()
    inside = rf"{_SPACED} {_SPACED}" if spaced else rf"\({_PAIR}\)\s*+,\s*+\({_PAIR}\)"
    pattern = re.compile(re.escape(begin) + inside + re.escape(end))
    if spaced:
        return PlaceForm(text, pattern, otherwise=re.compile(rf"(?<![\d.]){_SPACED}"))
    return PlaceForm(text, pattern, "last", otherwise=_POINT_OR_BOX)


GTA1 = _row(
    "gta1",
    "Yan98/GTA1@81f0c4c README.md",
    "pixel",
    PlaceForm("({x},{y})", _BRACKETED),
    SmartResize(28, 3136, 4096 * 2160),
    sends=True,
    system=True,
)
UGROUND_V1 = _row(
    "uground-v1",
    "OSU-NLP-Group/UGround@3a9b9f2 grounding/uground_qwen2vl_serve.py",
    "permille",
    PlaceForm("({x}, {y})", _PLAIN),
)
INFIGUI_G1 = _row(
    "infigui-g1",
    "InfiXAI/InfiGUI-G1@22208e4 eval/prompts.py, eval/eval.py",
    "pixel",
    PlaceForm(
        '[{"point_2d": [{x}, {y}]}]',
        re.compile(rf"""["']point_2d["']\s*+:\s*+\[\s*+{_PAIR}\s*+\]"""),
        no_element="[]",
        refusal=re.compile(r"\A[^\[]*+\[\s*+\]"),
    ),
    AreaLimit(5600 * 28**2, SmartResize(28, 4 * 28**2, 12_845_056)),
    sends=True,
    system=True,
)
JEDI = _row(
    "jedi",
    "HITsz-TMG/WindowsWorld@fbccd46 mm_agents/jedi_7b_agent.py (a mirror of xlang-ai/OSWorld)",
    "pixel",
    PlaceForm(
        _CALL % '"left_click", "coordinate": [{x}, {y}]',
        _COORDINATE,
        no_element=_CALL % '"wait", "time": 10',
        refusal=re.compile(r"""["']action["']\s*+:\s*+["']wait["']"""),
    ),
    SmartResize(28, 56 * 56, 2700 * 28**2),
    system=True,
)
SHOWUI = _row(
    "showui",
    f"{_SSP}showui.py",
    "fraction",
    PlaceForm("[{x}, {y}]", _PLAIN, digits=2, otherwise=_TWO_NUMBERS),
    SmartResize(28, 256 * 28**2, 1344 * 28**2),
    sends=True,
)
OS_ATLAS_BASE_4B = _row(
    "os-atlas-base-4b",
    f"{_SSP}osatlas4b.py",
    "permille",
    PlaceForm("<point>[[{x},{y}]]</point>", _POINT_OR_BOX, "last"),
)
OS_ATLAS_BASE_7B = _row(
    "os-atlas-base-7b",
    f"{_SSP}osatlas7b.py",
    "permille",
    PlaceForm(
        "<|box_start|>({x},{y}),({right},{bottom})<|box_end|>",
        re.compile(rf"<\|box_start\|>[(\[]?+{_PAIR}[)\]]?+\s*+,\s*+[(\[]?+{_PAIR}"),
        otherwise=_POINT_OR_BOX,
    ),
)
SEECLICK = _row(
    "seeclick",
    f"{_SSP}seeclick.py",
    "fraction",
    PlaceForm("({x},{y})", _POINT_OR_BOX, digits=2, padded=True),
)
UI_VENUS_GROUND = _row(
    "ui-venus-ground",
    "inclusionAI/UI-Venus@fc7670d models/grounding/ui_venus_ground_7b.py",
    "pixel",
    PlaceForm("[{x},{y},{right},{bottom}]", _POINT_OR_BOX, otherwise=_PLAIN_BOX),
    SmartResize(28, 2_000_000, 4_800_000),
    sends=True,
)
ARIA_UI = _row("aria-ui", f"{_SSP}ariaui.py", "permille", PlaceForm("({x}, {y})", _BRACKETED))
COGAGENT_CHAT = _row(
    "cogagent-chat",
    f"{_SSP}cogagent.py",
    "permille",
    PlaceForm("[[{x},{y},{right},{bottom}]]", _DOUBLE_POINT, otherwise=_DOUBLE_BOX),
)
FUYU = _row("fuyu", f"{_SSP}fuyu.py", "fraction", PlaceForm("({x},{y})", _POINT_OR_BOX, digits=2))
GPT_4X = _row(
    "gpt-4x",
    f"{_SSP}gpt4x.py",
    "fraction",
    PlaceForm("[[{x},{y},{right},{bottom}]]", _DOUBLE_POINT, digits=4, otherwise=_DOUBLE_BOX),
    system=True,
)
GPT_5 = _row("gpt-5", f"{_SSP}gpt5.py", "fraction", GPT_4X.form, system=True)
INTERNVL2 = _row("internvl2", f"{_SSP}internvl.py", "permille", COGAGENT_CHAT.form)
MINICPM_V = _row(
    "minicpm-v",
    f"{_SSP}minicpmv.py",
    "permille",
    _boxes("<box>{x} {y} {right} {bottom}</box>", "<box> </box>", spaced=True),
)
QWEN_VL = _row(
    "qwen-vl",
    f"{_SSP}qwen1vl.py",
    "permille",
    _boxes("<box>({x},{y}),({right},{bottom})</box>", "<box> </box>"),
)
QWEN2_VL = _row(
    "qwen2-vl",
    f"{_SSP}qwen2vl.py",
    "permille",
    _boxes("<|box_start|>({x},{y}),({right},{bottom})<|box_end|>", "<|box_start|> <|box_end|>"),
)
GUI_G1 = _row(
    "gui-g1",
    "Yuqi-Zhou/GUI-G1@e581fe9 src/open-r1-multimodal/src/open_r1/grpo_rec.py",
    "pixel",
    PlaceForm(
        '```json\n[\n\t{"bbox_2d": [{x}, {y}, {right}, {bottom}]}\n]\n```',
        re.compile(rf"""["']bbox_2d["']\s*+:\s*+\[\s*+{_PAIR}\s*+,\s*+{_PAIR}\s*+\]"""),
    ),
    _QWEN,
)
GUI_G2 = _row(
    "gui-g2",
    "ZJU-REAL/GUI-G2@5c5c365 README.md",
    "pixel",
    PlaceForm("[{x},{y},{right},{bottom}]", _POINT_OR_BOX),
    _QWEN,
)
SE_GUI = _row(
    "se-gui",
    "YXB-NKU/SE-GUI@0e26237 src/eval/test_grounding_r1_nothink.py",
    "pixel",
    PlaceForm(_CALL % '"left_click", "coordinate": [{x}, {y}]', _COORDINATE),
    SmartResize(28, 3136, 7_049_280),
    system=True,
)
UI_R1 = _row(
    "ui-r1",
    "lll6gg/UI-R1@2fe9bf0 evaluation/test_screenspot.py",
    "pixel",
    PlaceForm(_ANSWERED % ("coordinate", ""), _BRACKETED, "last"),
    _QWEN,
    trains="{template:ui-r1-training}",
)
GUI_R1 = _row(
    "gui-r1",
    "ritzz-ai/GUI-R1@d43eea2 guir1/inference/inference_vllm_screenspot.py",
    "pixel",
    PlaceForm(_ANSWERED % ("point", ", 'input_text': 'no input text'"), _BRACKETED, "last"),
    _QWEN,
    trains="{template:gui-r1-training}",
)
UI_AGILE = _row(
    "ui-agile",
    "KDEGroup/UI-AGILE@a8f7658 eval/grounding/eval_grounding_vllm_no_ray.py",
    "pixel",
    PlaceForm(_ANSWERED % ("coordinate", ""), _POINT_OR_BOX),
    _QWEN,
    trains="{template:ui-agile-training}",
)
UI_INS = _row(
    "ui-ins",
    "alibaba/UI-Ins@1953bbc README.md",
    "pixel",
    PlaceForm(
        _CALL.replace("computer_use", "grounding") % '"click", "coordinate": [{x}, {y}]', _BRACKETED
    ),
    _QWEN,
    system=True,
)

UI_R1_E = _row(
    "ui-r1-e",
    "lll6gg/UI-R1@2fe9bf0 src/ui_r1/src/open_r1/grpo_json_action_coord-nothink.py",
    "pixel",
    UI_R1.form,
    _QWEN,
)
ZONUI = _row(
    "zonui",
    "Han1018/ScreenSpot-Pro-GUI-Grounding@311ab39 models/qwen_gui.py",
    "pixel",
    PlaceForm("[{x}, {y}]", _POINT_OR_BOX),
    SmartResize(28, 3136, 99_999_999),
    sends=True,
)
TONGUI = _row(
    "tongui",
    "uivision/UI-Vision@2b79355 eval/grounding/models/tongui.py",
    "fraction",
    SHOWUI.form,
    SHOWUI.resize,
    sends=True,
)
GROUNDNEXT = _row(
    "groundnext",
    "ServiceNow/GroundCUA@81136d4 eval/prompts.py, eval/eval.py",
    "pixel",
    SE_GUI.form,
    _QWEN,
    sends=True,
    system=True,
)
QWEN3_VL_GROUNDING = _row(
    "qwen3-vl-grounding",
    "likaixin2000/ScreenSpot-Pro-GUI-Grounding@dbe0011 models/qwen3vl.py",
    "permille",
    PlaceForm(
        SE_GUI.form.text,
        re.compile(rf"""["']coordinate["']\s*+:\s*+\[\s*+{_PAIR}(?:\s*+,\s*+{_PAIR})?+\s*+\]"""),
        "last",
    ),
    SmartResize(32, 32**2, 99_999_999),
    sends=True,
    system=True,
)
QWEN3_5_GROUNDING = replace(
    QWEN3_VL_GROUNDING,
    name="qwen3.5-grounding",
    source="likaixin2000/ScreenSpot-Pro-GUI-Grounding@dbe0011 models/qwen3_5.py",
    resize=SmartResize(8, 32**2, 8_294_400),
    sends=SmartResize(8, 32**2, 8_294_400),
    asks=OneTurn("{template:qwen3-vl-grounding}", system="{template:qwen3-vl-grounding-system}"),
)
GUI_ACTOR = _row(
    "gui-actor",
    "microsoft/GUI-Actor@d98d1bb src/gui_actor/inference.py, src/gui_actor/constants.py",
    "fraction",
    PlaceForm(
        '{"topk_points": [[{x}, {y}]]}',
        re.compile(rf"""["']topk_points["']\s*+:\s*+\[\s*+[\[(]\s*+{_PAIR}\s*+[\])]"""),
        digits=4,
    ),
    system=True,
)


def _actor(name: str, source: str, prompt: str = "gui-actor") -> ElementGrounder:
    """A model whose place is in its attention, with the system turn of `prompt`."""
    asks = OneTurn("{template:gui-actor}", system=f"{{template:{prompt}-system}}")
    return replace(GUI_ACTOR, name=name, source=source, asks=asks)


_FOCUSUI = "showlab/FocusUI@894ddcb evaluation/shared_grounding_eval.py, focusui/constants.py"
GUI_ACTOR_QWEN2 = _actor(
    "gui-actor-qwen2", "microsoft/GUI-Actor@d98d1bb eval/screenSpot_pro.py", "gui-actor-qwen2"
)
GUI_AIMA = _actor("gui-aima", "sjz5202/GUI-AIMA@809f168 eval/screenSpot_pro.py")
FOCUSUI = _actor("focusui", _FOCUSUI)
FOCUSUI_QWEN3 = _actor("focusui-qwen3", _FOCUSUI, "focusui-qwen3")
FERRET_UI = _row(
    "ferret-ui",
    "apple/ml-ferret@3c9e5c9 ferretui/ferretui/{conversation,constants}.py",
    "permille",
    PlaceForm("[{x}, {y}, {right}, {bottom}]", _POINT_OR_BOX),
    system=True,
)

_CLICK = re.compile(rf"Click\(\s*+(?:x\s*+=\s*+)?{NUMBER}\s*+,\s*+(?:y\s*+=\s*+)?{NUMBER}\s*+\)")
_COOKBOOK = "hcompai/hai-cookbook@2ba8961 "
_HOLO1 = SmartResize(28, 56 * 56, 14 * 14 * 4 * 1280)
_HOLO1_5 = SmartResize(28, 4 * 28**2, 2560 * 1440)
_HOLO2 = SmartResize(32, 64 * 32**2, QWEN3_VL.max_pixels)


class Holo(ElementGrounder):
    """Speaks `Click(x, y)`, or the object that guided decoding gives, and reads both."""

    def parse_point(self, text: str, size: Size) -> Point | None:
        """The place of the first `Click(x, y)`, or of the last JSON object where there is none."""
        answer = parsing.read_answer(text)[1]
        if "{" not in answer or _CLICK.search(answer):
            return ElementGrounder.parse_point(self, text, size)

        def read(found: parsing.JsonObject, _: str) -> Decision:
            if (action := found.get("action")) not in (None, "click", "click_absolute"):
                raise parsing.bad_answer(f"the action is {parsing.shorten(action)}; expected click")
            at: list[JsonValue] = [
                parsing.read_number(found.get(name), name) for name in ("x", "y")
            ]
            return Decision(Tap(at=self.on(size).place(at, "x, y")))

        return place_of(parsing.read_last_object(answer, read).first)


HOLO1 = Holo(
    name="holo1",
    source=f"{_COOKBOOK}utils/localization.py, utils/image.py",
    space="pixel",
    form=PlaceForm("Click({x}, {y})", _CLICK),
    resize=_HOLO1,
    sends=_HOLO1,
    asks=OneTurn("{template:holo1}"),
)
HOLO = replace(HOLO1, name="holo")
HOLO1_5 = replace(
    HOLO1,
    name="holo1.5",
    source=f"{_SSP}holo1_5.py",
    resize=_HOLO1_5,
    sends=_HOLO1_5,
    asks=OneTurn("{template}"),
)
HOLO2 = replace(
    HOLO1_5,
    name="holo2",
    source=f"{_COOKBOOK}holo2/holo_2_localization_hosted_api.ipynb",
    space="permille",
    form=replace(HOLO1.form, text='{"x":{x},"y":{y}}'),
    resize=_HOLO2,
    sends=_HOLO2,
)

DUVO_EYE_1 = replace(
    HOLO2,
    name="duvo-eye-1",
    source="likaixin2000/ScreenSpot-Pro-GUI-Grounding@dbe0011 models/duvo_eye_1.py",
    form=replace(HOLO1.form, text='{"x": {x}, "y": {y}}'),
    resize=None,
    sends=None,
)

# Not from within a number, whose every digit would be tried as the first.
_BARE = r"([-+]?(?:(?<!\d)\d++(?:\.\d++)?|\.\d++))"
MMBENCH_GUI = _row(
    "mmbench-gui",
    "open-compass/MMBench-GUI@44bd4d9 benchmarks/l2_element_grounding.py",
    "pixel",
    PlaceForm(
        "({x},{y})",
        re.compile(r"[(\[]\s*+(-?\d++(?:\.\d++)?)\s*+[,，]\s*+(-?\d++(?:\.\d++)?)\s*+[)\]]"),
        "last",
        otherwise=re.compile(
            rf"{_BARE}(?:\s*+[,;]|\s)\s*+(?:y\s*+[:=]?\s*+)?{_BARE}", re.IGNORECASE
        ),
    ),
    system=True,
)

_CANVAS = Size(1008, 672)
_WHOLE = 1000


@dataclass(frozen=True, kw_only=True)
class PhiGround(ElementGrounder):
    """Speaks and reads `<point>x, y</point>`, wherever on the canvas that is."""

    sent_filter: SentFilter = "lanczos"

    def canvas_size(self, size: Size) -> Size:
        """The canvas on which the picture is sent, whatever its size."""
        return _CANVAS

    def _place(self, numbers: list[float], size: Size) -> Point:
        seen = self.model_size(size)
        x, y = numbers[0] * _CANVAS.width / _WHOLE, numbers[1] * _CANVAS.height / _WHOLE
        if not (0 <= x <= seen.width and 0 <= y <= seen.height):
            raise parsing.bad_answer(
                f"the place ({numbers[0]:g}, {numbers[1]:g}) is off the screen, which fills "
                f"{seen} of the {_CANVAS} pixels of the canvas"
            )
        return Point(x / seen.width, y / seen.height)

    def _numbers(self, at: Point, size: Size) -> tuple[float, float]:
        seen = self.model_size(size)
        x, y = at.x * seen.width, at.y * seen.height
        # Rounded down at the far edges, so that the place stays on the screen.
        return (
            min(round(x * _WHOLE / _CANVAS.width), int(seen.width * _WHOLE / _CANVAS.width)),
            min(round(y * _WHOLE / _CANVAS.height), int(seen.height * _WHOLE / _CANVAS.height)),
        )


PHI_GROUND = PhiGround(
    name="phi-ground",
    source="microsoft/Phi-Ground@3956408 examples/call_example.py",
    space="permille",
    form=PlaceForm(
        "<point>{x}, {y}</point>",
        # What follows the two numbers is passed over there, and the closing tag may be cut off.
        re.compile(rf"<point>\s*+{NUMBER}\s*+,\s*+{NUMBER}(?=\s*+(?:,|</point>|\Z))"),
    ),
    resize=FitInto(_CANVAS),
    sends=FitInto(_CANVAS),
)
