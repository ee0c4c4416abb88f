"""AndroidWorld's actions on the elements that M3A counts, and AutoGLM's names of apps."""

import asyncio
import json

import pytest

from tapwright.agents.model import ModelAgent
from tapwright.agents.query_policy import DEFAULT_QUERY_POLICY
from tapwright.conventions import conventions
from tapwright.conventions.androidworld import ANDROIDWORLD
from tapwright.conventions.convention import parse_on
from tapwright.core.actions import Action, LongPress, OpenApp, Scroll, Tap, TypeText
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.errors import BadAnswerError, UnsupportedByConventionError
from tapwright.models.scripted import ScriptedModel
from tests.conventions.blank_screens import blank_observation

SIZE = Size(1080, 2400)
XML = """\
<hierarchy>
  <node class="android.widget.FrameLayout" bounds="[0,0][1080,2400]">
    <node class="android.widget.LinearLayout" content-desc="Toolbar" bounds="[0,0][1080,200]">
      <node class="android.widget.TextView" text="Inbox" bounds="[0,0][540,200]"/>
    </node>
    <node class="android.widget.ListView" scrollable="true" bounds="[0,1200][1080,2400]">
      <node class="android.widget.EditText" hint="Search" bounds="[270,1400][810,1600]"/>
    </node>
    <node class="android.widget.Button" text="Gone" bounds="[0,2500][10,2600]"/>
  </node>
</hierarchy>"""


@pytest.fixture
def screen() -> Observation:
    blank = blank_observation(SIZE)
    return Observation(blank.screenshot, SIZE, ui_tree=UiTree(XML, SIZE))


def test_the_elements_are_those_that_upstream_lists(screen: Observation) -> None:
    words = "".join(message.text for message in ANDROIDWORLD.prompt("do it", (), screen))
    listed = [line for line in words.splitlines() if line.startswith("UI element ")]
    assert [line.partition(":")[0] for line in listed] == [f"UI element {n}" for n in range(4)]
    assert '"content_description": "Toolbar"' in listed[0]
    assert '"text": "Inbox"' in listed[1]
    assert '"is_scrollable": True' in listed[2]
    assert '"hint_text": "Search", "is_clickable": False' in listed[3]


def test_without_a_hierarchy_nothing_is_listed() -> None:
    words = "".join(
        message.text for message in ANDROIDWORLD.prompt("do it", (), blank_observation(SIZE))
    )
    assert "UI element" not in words


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ({"action_type": "click", "index": 1}, Tap(at=Point(0.25, 1 / 24))),
        ({"action_type": "long_press", "index": "3"}, LongPress(at=Point(0.5, 0.625))),
        ({"action_type": "input_text", "text": "a", "index": 3},
         TypeText(text="a\n", at=Point(0.5, 0.625))),
        ({"action_type": "scroll", "direction": "down", "index": 2},
         Scroll(at=Point(0.5, 0.75), dy=0.25)),
    ],
)  # fmt: skip
def test_an_index_is_the_middle_of_its_element(
    screen: Observation, answer: dict[str, object], action: Action
) -> None:
    text = f"Reason: r\nAction: {json.dumps(answer)}"
    assert parse_on(ANDROIDWORLD, text, screen).action == action


@pytest.mark.parametrize("text", ["", "\n"])
def test_typing_nothing_has_no_words(text: str) -> None:
    with pytest.raises(UnsupportedByConventionError):
        ANDROIDWORLD.render(Decision(TypeText(text=text, at=Point(0.5, 0.5))), SIZE)


@pytest.mark.parametrize("index", [4, 5, -1])
def test_an_index_without_an_element_is_refused(screen: Observation, index: int) -> None:
    with pytest.raises(BadAnswerError, match=f"the index is {index}, where no element is"):
        parse_on(ANDROIDWORLD, json.dumps({"action_type": "click", "index": index}), screen)


def test_an_index_on_a_screen_without_elements_is_refused() -> None:
    with pytest.raises(BadAnswerError, match="this screen has none"):
        parse_on(ANDROIDWORLD, '{"action_type": "click", "index": 0}', blank_observation(SIZE))


def test_an_agent_acts_on_the_element_that_its_model_names(screen: Observation) -> None:
    model = ScriptedModel(['Reason: r\nAction: {"action_type": "click", "index": 1}'])
    agent = ModelAgent(model, ANDROIDWORLD, policy=DEFAULT_QUERY_POLICY)
    assert asyncio.run(agent.act("do it", (), screen)).action == Tap(at=Point(0.25, 1 / 24))


@pytest.mark.parametrize(
    ("app", "named"),
    [
        ("com.tencent.mm", "微信"),
        ("com.tencent.mm/.ui.LauncherUI", "微信"),
        ("微信", "微信"),
        ("com.example.unknown", "System Home"),
        ("", "System Home"),
    ],
)
def test_autoglm_is_told_the_open_app_by_its_name(app: str, named: str) -> None:
    seen = Observation(blank_observation(SIZE).screenshot, SIZE, app=app)
    last = conventions.get("autoglm").prompt("do it", (), seen)[-1].text
    assert json.loads(last.rpartition("\n")[2]) == {"current_app": named}


def test_autoglm_launches_an_app_by_its_name() -> None:
    autoglm = conventions.get("autoglm")
    assert 'app="微信"' in autoglm.render(Decision(OpenApp(app="com.tencent.mm")), SIZE)
    assert 'app="Notes"' in autoglm.render(Decision(OpenApp(app="Notes")), SIZE)
