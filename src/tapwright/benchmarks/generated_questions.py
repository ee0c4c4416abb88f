"""Questions about a recorded screen, each with one option that the tree or the recording proves.

easy: which text is to be read; medium: what state the screen is in; hard: what was done on it
next, or what it allows.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import JsonValue

from tapwright.benchmarks import generated_survey
from tapwright.benchmarks.dataset_files import label_options
from tapwright.benchmarks.elements import Element, app_name, role_of, share_column
from tapwright.benchmarks.generated_next_touch import find_next_touch
from tapwright.benchmarks.generated_screens import RecordedScreen
from tapwright.benchmarks.generated_wording import ROLE_NAMES, pick_wording, quote_task

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class QuestionDraft:
    """A question before its options are shuffled; `proof` is why `right` is right."""

    question: str
    right: str
    wrong: tuple[str, ...]
    proof: str


class QuestionGenerator:
    """Makes the questions; the other screens lend it what is not on this one."""

    def __init__(self, survey: generated_survey.ScreenSurvey) -> None:
        self._survey = survey
        self._medium = 0
        self._apps = Counter[str]()
        self._surplus = Counter[str]()  # how much more often an ability was right than wrong

    def groups(self, screen: RecordedScreen, chance: random.Random) -> list[JsonValue]:
        """The groups of a row, easy to hard: those of the three that this screen carries.

        Questions depend on those made before: at most a third of the medium ones is about the app,
        and no app is the answer more often than the others are, but for one time.
        """
        made: list[JsonValue] = []
        for difficulty, makers in (
            ("easy", (self._seen,)),
            ("medium", (self._state, self._below, self._count)),
            ("hard", (self._next, self._types, self._allows)),
        ):
            order = list(makers)
            if difficulty == "medium":
                chance.shuffle(order)
                order.append(self._app)
            draft = next((d for make in order if (d := make(screen, chance)) is not None), None)
            if draft is not None:
                made.append(_group(difficulty, draft, chance))
                self._medium += difficulty == "medium"
        return made

    def _seen(self, screen: RecordedScreen, chance: random.Random) -> QuestionDraft | None:
        here = generated_survey.list_contents(screen) or sorted(screen.texts)
        elsewhere = _draw(
            self._survey.texts[screen.language],
            chance,
            lambda text: not self._survey.readable.may_show(screen, text),
        )
        if not here or len(elsewhere) < 3:
            return None
        right = chance.choice(here)
        return QuestionDraft(
            pick_wording(
                screen.language,
                "Which of these texts can be read on this screen?",
                "这个屏幕上能看到下面哪段文字？",
            ),
            right,
            elsewhere,
            f"node {screen.texts[right].order} shows it; no node has any of the others",
        )

    def _state(self, screen: RecordedScreen, chance: random.Random) -> QuestionDraft | None:
        boxes = [e for e in screen.content if e.role in ("switch", "checkbox") and e.alone]
        if not boxes:
            return None
        box = chance.choice(boxes)
        language = screen.language
        role = ROLE_NAMES[language][box.role]
        states = [
            pick_wording(language, "It is on", "已打开"),
            pick_wording(language, "It is off", "已关闭"),
            pick_wording(language, "It is greyed out", "呈灰色，不可用"),
            pick_wording(language, "There is no such control here", "这里没有这个控件"),
        ]
        right = states.pop(0 if box.on else 1)
        return QuestionDraft(
            pick_wording(
                language,
                f'What is the state of the "{box.label}" {role}?',
                f"“{box.label}”{role}处于什么状态？",
            ),
            right,
            tuple(states),
            f'node {box.node.order}: enabled, checked="{str(box.on).lower()}"',
        )

    def _below(self, screen: RecordedScreen, chance: random.Random) -> QuestionDraft | None:
        pairs = _find_stacked(screen)
        if len(screen.texts) < 5 or not pairs:
            return None
        upper, lower = chance.choice(pairs)
        others = [text for text in sorted(screen.texts) if text not in (upper, lower)]
        return QuestionDraft(
            pick_wording(
                screen.language,
                f'Which text stands directly below "{upper}"?',
                f"“{upper}”正下方的文字是什么？",
            ),
            lower,
            _sample(others, chance),
            f"node {screen.texts[lower].order} is the next text below "
            f"node {screen.texts[upper].order}",
        )

    def _count(self, screen: RecordedScreen, chance: random.Random) -> QuestionDraft | None:
        switches = [e for e in screen.content if e.role == "switch"]
        drawn = [n for n in screen.tree.nodes if n.box is not None and role_of(n) == "switch"]
        if len(switches) < 2 or not all(switch.alone for switch in switches):
            return None
        if len(drawn) > len(switches):
            return None  # one is greyed out, cut off or has no name
        number = sum(switch.on for switch in switches)
        wrong = [str(n) for n in range(len(switches) + 3) if n != number]
        return QuestionDraft(
            pick_wording(
                screen.language,
                "How many switches on this screen are on?",
                "这个屏幕上有几个开关是打开的？",
            ),
            str(number),
            _sample(wrong, chance),
            f'{number} of {len(switches)} switches have checked="true"',
        )

    def _app(self, screen: RecordedScreen, chance: random.Random) -> QuestionDraft | None:
        others = [name for name in self._survey.apps if name != screen.app]
        if not screen.observation.app or len(others) < 3:
            return None
        fewest = min(self._apps[name] for name in self._survey.apps)
        if 3 * (self._apps.total() + 1) > self._medium + 1 or self._apps[screen.app] > fewest:
            return None
        self._apps[screen.app] += 1
        return QuestionDraft(
            pick_wording(screen.language, "Which app is open?", "现在打开的是哪个应用？"),
            app_name(screen.observation.app),
            _sample(others, chance),
            f"the package in front is {screen.observation.app}",
        )

    def _next(self, screen: RecordedScreen, chance: random.Random) -> QuestionDraft | None:
        following = find_next_touch(screen)
        if following is None:
            return None
        touched = following.element
        left_out = (touched, *following.rivals, *following.doubtful)
        right = _name_element(touched, screen)
        others = sorted(
            {_name_element(e, screen) for e in screen.content if e.alone and e not in left_out}
            - {right}
        )
        if len(others) < 3:
            return None
        task = quote_task(screen.instruction, screen.language)
        return QuestionDraft(
            pick_wording(
                screen.language,
                f"The user is doing this: {task} Which element do they touch next?",
                f"用户正在做这件事：{task}接下来会点哪个元素？",
            ),
            right,
            _sample(others, chance),
            f"the recording {screen.episode_id!r} touches node {touched.node.order} here",
        )

    def _types(self, screen: RecordedScreen, chance: random.Random) -> QuestionDraft | None:
        instruction = screen.instruction.casefold()
        others = [text for text in self._survey.typed if text.casefold() not in instruction]
        if not screen.typed or screen.typed.casefold() not in instruction or len(others) < 3:
            return None
        task = quote_task(screen.instruction, screen.language)
        return QuestionDraft(
            pick_wording(
                screen.language,
                f"The user is doing this: {task} What do they type next?",
                f"用户正在做这件事：{task}接下来会输入什么？",
            ),
            screen.typed,
            _sample(others, chance),
            f"the recording {screen.episode_id!r} types it here",
        )

    def _allows(self, screen: RecordedScreen, chance: random.Random) -> QuestionDraft | None:
        here = generated_survey.find_abilities(screen)
        purposes = {ability.purpose for ability in here}

        def is_impossible(ability: generated_survey.ScreenAbility) -> bool:
            if ability in here or self._survey.readable.may_show(screen, _name_in(ability.words)):
                return False
            purpose = ability.purpose
            return purpose is None or not (
                purpose in purposes or purpose.elsewhere or screen.servers(purpose)
            )

        others = _draw(self._survey.abilities[screen.language], chance, is_impossible)
        if not here or len(others) < 3:
            return None
        # What most screens offer is seldom a wrong option, and would be known for a right one.
        by_words = sorted(here, key=lambda ability: ability.words)
        chance.shuffle(by_words)
        right = min(by_words, key=lambda ability: self._surplus[ability.words])
        self._surplus[right.words] += 1
        self._surplus.subtract(ability.words for ability in others)
        return QuestionDraft(
            pick_wording(
                screen.language,
                "Which of these can be done on this screen?",
                "在这个屏幕上可以做下面哪件事？",
            ),
            right.words,
            tuple(ability.words for ability in others),
            f"node {here[right].node.order} does it; the screen has nothing for the others",
        )


def _group(difficulty: str, draft: QuestionDraft, chance: random.Random) -> JsonValue:
    options = [draft.right, *draft.wrong]
    chance.shuffle(options)
    lettered = label_options(options)
    answer = next(letter for letter, text in lettered.items() if text == draft.right)
    return {
        "difficulty": difficulty,
        "question": draft.question,
        "options": dict(lettered),
        "answer": answer,
        "explanation": draft.proof,
    }


def _sample(pool: Sequence[str], chance: random.Random) -> tuple[str, ...]:
    return _draw(pool, chance, lambda _: True)


def _draw(pool: Sequence[P], chance: random.Random, fits: Callable[[P], bool]) -> tuple[P, ...]:
    """Three to five of the pool that fit, fewer where there are no more; each place as likely.

    What is there several times is drawn once, and sooner.
    Only those that are drawn are looked at, as the pool is what all screens have together.
    """
    found: list[P] = []
    wanted = chance.randint(3, 5)
    moved: dict[int, int] = {}  # a shuffle of the places, of which only a few are drawn
    for end in reversed(range(len(pool))):
        if len(found) == wanted:
            break
        place = chance.randint(0, end)
        one = pool[moved.get(place, place)]
        moved[place] = moved.get(end, end)
        if one not in found and fits(one):
            found.append(one)
    return tuple(found)


def _find_stacked(screen: RecordedScreen) -> list[tuple[str, str]]:
    """Pairs of texts with one left edge, of which the second is the next of all texts below."""
    every = [(node, node.box) for node in screen.tree.nodes if node.text.strip() and node.box]
    names = {node.order: text for text, node in screen.texts.items()}
    pairs = []
    for upper, node in screen.texts.items():
        if node.box is None:
            continue
        edge = node.box
        below = sorted(
            (box.top, other.order, abs(box.left - edge.left) < 0.01)
            for other, box in every
            if other is not node and box.top >= edge.bottom - 0.004 and share_column(edge, box)
        )
        if not below or below[0][0] - edge.bottom > 0.12:
            continue
        top, order, aligned = below[0]
        if aligned and order in names and (len(below) == 1 or below[1][0] > top + 0.005):
            pairs.append((upper, names[order]))
    return sorted(pairs)


def _name_element(element: Element, screen: RecordedScreen) -> str:
    role = ROLE_NAMES[screen.language][element.role]
    return pick_wording(
        screen.language, f'the "{element.label}" {role}', f"“{element.label}”{role}"
    )


def _name_in(ability: str) -> str:
    """The label that an ability quotes, or all of it."""
    for left, right in (('"', '"'), ("“", "”")):
        if left in ability:
            return ability.partition(left)[2].rpartition(right)[0]
    return ability
