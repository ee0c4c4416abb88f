"""Small screens with a view hierarchy, for the annotation tests."""

from tapwright.core.actions import Action
from tapwright.core.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene

SIZE = Size(100, 200)
_PICTURES = [painted_scene(number, SIZE).picture for number in range(3)]


def node(
    text: str = "",
    *,
    at: tuple[int, int, int, int],
    kind: str = "android.widget.TextView",
    children: str = "",
    **flags: str,
) -> str:
    left, top, right, bottom = at
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in flags.items())
    return (
        f'<node text="{text}" class="{kind}" bounds="[{left},{top}][{right},{bottom}]"{more}>'
        f"{children}</node>"
    )


def screen(
    *nodes: str, title: str = "", app: str = "com.example.app", picture: int = 0
) -> Observation:
    head = node(title, at=(0, 10, 60, 25)) if title else ""
    xml = f'<hierarchy><node bounds="[0,0][100,200]">{head}{"".join(nodes)}</node></hierarchy>'
    return Observation(Screenshot(_PICTURES[picture]), SIZE, UiTree(xml, SIZE), app)


def episode(
    instruction: str,
    *steps: tuple[Observation, Action],
    final: Observation | None = None,
    outcome: EpisodeOutcome = "success",
    id: str = "e1",
) -> Episode:
    return Episode(
        id=id,
        task_id="t",
        instruction=instruction,
        steps=tuple(Step(seen, Decision(action)) for seen, action in steps),
        final=final,
        outcome=outcome,
    )
