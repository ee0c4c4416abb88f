"""Episodes to edit, and modifiers that fit them."""

from dataclasses import replace

from hypothesis import strategies as st

from tapwright.core.episode import Episode
from tests.strategies import EPISODES, STEPS

LONG: st.SearchStrategy[Episode] = st.builds(
    lambda episode, steps: replace(episode, steps=tuple(steps)),
    EPISODES,
    st.lists(STEPS, min_size=2, max_size=6),
)


@st.composite
def fitting(draw: st.DrawFn, steps: int) -> tuple[str, int]:
    """A modifier for an episode of so many steps, and how many it leaves."""
    at = draw(st.integers(0, steps - 1))
    stop = draw(st.integers(at + 1, steps))
    match draw(st.sampled_from(["delete", "crop", "rewardize", "told", "insert", "target"])):
        case "delete" if stop - at < steps:
            return f"delete:{at}:{stop}", steps - (stop - at)
        case "crop":
            return f"crop:{at}:{stop}", stop - at
        case "told":
            return f'instructionize:{at}:["a, b: c"]', steps
        case "insert":
            return f'insert:{at}:{{"type":"wait"}}', steps + 1
        case "target":
            return f'relabel:{at}:target:"the bell, 右上角"', steps
    return f"rewardize:{at}:{draw(st.sampled_from(['-1', '0.5', '2']))}", steps


@st.composite
def lists_of_modifiers(draw: st.DrawFn, episode: Episode) -> list[str]:
    """Modifiers that fit `episode` one after the other."""
    left, made = len(episode.steps), []
    for _ in range(draw(st.integers(1, 4))):
        modifier, left = draw(fitting(left))
        made.append(modifier)
    return made
