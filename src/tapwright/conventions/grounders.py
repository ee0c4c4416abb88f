"""Models that find one element on a screen: one prompt, unit, size and form of answer each.

They follow the evaluation that published their scores, named by each `source`:
https://github.com/likaixin2000/ScreenSpot-Pro-GUI-Grounding (`models/*.py`) or the family's own
repository. `os-atlas-base-7b` ends with the quotation mark that ScreenSpot-Pro's file has and the
model card has not. `uground-v1` has the prompt of its service, with which its scores were taken.
`jedi` follows OSWorld's agent, of which only a mirror could be had, with the doubled braces that it
sends; that waiting means "no such element" is from OSWorld-G's prompt. GUI-Actor is not here: it
answers with a special token, and the place is in its attention, which no chat API returns.
"""

import re

from tapwright.conventions.element_grounder import NUMBER, ElementGrounder, PlaceForm
from tapwright.conventions.resize import AreaLimit, SmartResize

__all__ = [
    "GTA1",
    "INFIGUI_G1",
    "JEDI",
    "OS_ATLAS_BASE_4B",
    "OS_ATLAS_BASE_7B",
    "SEECLICK",
    "SHOWUI",
    "UGROUND_V1",
    "UI_VENUS_GROUND",
]

_PAIR = rf"{NUMBER}\s*+,\s*+{NUMBER}"
_BRACKETED = re.compile(rf"[(\[]\s*+{_PAIR}\s*+[)\]]")
_POINT_OR_BOX = re.compile(rf"[(\[]\s*+{_PAIR}(?:\s*+[)\]]?+\s*+,\s*+[(\[]?+\s*+{_PAIR})?+")
_PLAIN = re.compile(rf"(?<![\d.]){_PAIR}")
_CALL = '<tool_call>\n{"name": "computer_use", "arguments": {"action": %s}}\n</tool_call>'

GTA1 = ElementGrounder(
    "gta1",
    "Yan98/GTA1@81f0c4c README.md",
    "pixel",
    PlaceForm("({x},{y})", _BRACKETED),
    SmartResize(28, 3136, 4096 * 2160),
    sends_resized=True,
    has_system=True,
)
UGROUND_V1 = ElementGrounder(
    "uground-v1",
    "OSU-NLP-Group/UGround@3a9b9f2 grounding/uground_qwen2vl_serve.py",
    "permille",
    PlaceForm("({x}, {y})", _PLAIN),
)
INFIGUI_G1 = ElementGrounder(
    "infigui-g1",
    "InfiXAI/InfiGUI-G1@22208e4 eval/prompts.py, eval/eval.py",
    "pixel",
    PlaceForm(
        '[{"point_2d": [{x}, {y}]}]',
        re.compile(rf"""["']point_2d["']\s*+:\s*+\[\s*+{_PAIR}\s*+\]"""),
        no_element="[]",
        refusal=re.compile(r"\A\s*+(?:```(?:json)?+)?+\s*+\[\s*+\]"),
    ),
    AreaLimit(5600 * 28**2, SmartResize(28, 4 * 28**2, 12_845_056)),
    sends_resized=True,
    has_system=True,
)
JEDI = ElementGrounder(
    "jedi",
    "HITsz-TMG/WindowsWorld@fbccd46 mm_agents/jedi_7b_agent.py (a mirror of xlang-ai/OSWorld)",
    "pixel",
    PlaceForm(
        _CALL % '"left_click", "coordinate": [{x}, {y}]',
        re.compile(rf"""["']coordinate["']\s*+:\s*+\[\s*+{_PAIR}\s*+\]"""),
        no_element=_CALL % '"wait", "time": 10',
        refusal=re.compile(r"""["']action["']\s*+:\s*+["']wait["']"""),
    ),
    SmartResize(28, 56 * 56, 2700 * 28**2),
    has_system=True,
)
SHOWUI = ElementGrounder(
    "showui",
    "likaixin2000/ScreenSpot-Pro-GUI-Grounding@bd8bbbb models/showui.py",
    "fraction",
    PlaceForm("[{x}, {y}]", _PLAIN, digits=2),
    SmartResize(28, 256 * 28**2, 1344 * 28**2),
    sends_resized=True,
)
OS_ATLAS_BASE_4B = ElementGrounder(
    "os-atlas-base-4b",
    "likaixin2000/ScreenSpot-Pro-GUI-Grounding@bd8bbbb models/osatlas4b.py",
    "permille",
    PlaceForm("<point>[[{x},{y}]]</point>", _POINT_OR_BOX, "last"),
)
OS_ATLAS_BASE_7B = ElementGrounder(
    "os-atlas-base-7b",
    "likaixin2000/ScreenSpot-Pro-GUI-Grounding@bd8bbbb models/osatlas7b.py",
    "permille",
    PlaceForm("<|box_start|>({x},{y}),({right},{bottom})<|box_end|>", _POINT_OR_BOX, "last"),
)
SEECLICK = ElementGrounder(
    "seeclick",
    "likaixin2000/ScreenSpot-Pro-GUI-Grounding@bd8bbbb models/seeclick.py",
    "fraction",
    PlaceForm("({x},{y})", _POINT_OR_BOX, digits=2, padded=True),
)
UI_VENUS_GROUND = ElementGrounder(
    "ui-venus-ground",
    "inclusionAI/UI-Venus@fc7670d models/grounding/ui_venus_ground_7b.py",
    "pixel",
    PlaceForm("[{x},{y},{right},{bottom}]", _POINT_OR_BOX),
    SmartResize(28, 2_000_000, 4_800_000),
    sends_resized=True,
)
