"""The sentences of the rule-based annotator, in English and Chinese.

Both tables have the same keys and, key by key, the same slots; a key's sentences have the same
meaning in different words, and take turns.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from tapwright.agents.text_matching import collapse_repetition
from tapwright.core.language import Language
from tapwright.core.observation import UiRole

Kind: TypeAlias = UiRole | Literal["item"]
Sentences: TypeAlias = Mapping[str, tuple[str, ...]]

_ENGLISH: Sentences = {
    "begin": ("I am asked to do this: “{task}”.", "The task is “{task}”."),
    "title": ("The screen shows “{title}”.", "This is “{title}”.", "“{title}” is open."),
    "dialog": ("The dialog “{title}” is waiting for a choice.", "The dialog “{title}” is open."),
    "tap": ("I tap {target}.", "{Target} is the next to touch.", "The way on is {target}."),
    "tap_named": (
        "The task speaks of “{label}”, so I tap {target}.",
        "“{label}” is in the task, and that is {target}.",
    ),
    "tap_field": (
        "Text has to go into {target}, so I give it the focus.",
        "I tap {target} so that I can type there.",
    ),
    "tap_right": ("I open the menu of {target} with the right button.",),
    "double_tap": ("I tap {target} twice.", "{Target} takes a double tap."),
    "triple_tap": ("I click {target} three times, to select its whole text.",),
    "long_press": ("I press {target} and hold it.", "I keep a finger on {target}."),
    "hover": ("I move the pointer over {target}.",),
    "type": ("I type “{text}”.", "The text to enter is “{text}”."),
    "type_named": (
        "The task gives the words “{text}”, so I type them.",
        "“{text}” is what the task wants written, so I type it.",
    ),
    "into": ("It goes into {target}.", "{Target} has the focus."),
    "back": ("I press the back key.",),
    "back_leaves": ("I go back.", "The back key leads out of here."),
    "back_keyboard": ("I put the keyboard away.", "The back key closes the keyboard."),
    "back_dialog": ("I leave the dialog.", "The back key closes the dialog."),
    "home": ("I go to the home screen.", "The home key leads away from this app."),
    "enter": ("I confirm with enter.", "Enter is the key to press now."),
    "key": ("I press the key {key}.",),
    "hotkey": ("I press {keys} together.",),
    "hold": ("I hold {keys} down.",),
    "let_go": ("I let {what} go.",),
    "button_down": ("I press the button down on {target}.",),
    "button_down_here": ("I press the button down where the pointer is.",),
    "button_up": ("I let the button go on {target}.",),
    "button_up_here": ("I let the button go where the pointer is.",),
    "open_app": ("I open {app}.", "{app} is the app to go on in, so I open it."),
    "open_app_named": (
        "The task is about {app}, so I open it.",
        "The task names {app}; I open that app.",
    ),
    "goto": ("I go to {url}.", "The page to see next is {url}."),
    "goto_named": ("The task names {url}, so I go there.",),
    "new_tab": ("I open a new tab.",),
    "new_tab_at": ("I open {url} in a new tab.",),
    "close_tab": ("I close this tab.", "This tab is not needed any more, so I close it."),
    "switch_tab": ("I switch to tab {number}.",),
    "switch_tab_named": ("I switch to the tab “{title}”.",),
    "seek": (
        "“{label}” is not in view yet, so I go {way}.",
        "I do not see “{label}” here; it may come when I go {way}.",
    ),
    "go": ("I go {way} to see more.", "More may show when I go {way}."),
    "drag": ("I drag {target} to another place.",),
    "wait": ("I give the screen a moment.", "I wait a little."),
    "answer": ("I tell the user: “{text}”.",),
    "ask": ("I ask the user: “{text}”.",),
    "answer_seen": ("The screen shows “{text}”, and that is what I tell the user.",),
    "finish_success": ("Nothing is left to do, so I finish.", "The task is done, and I end here."),
    "finish_claim": ("I take the task for done and end here.",),
    "finish_failure": ("I cannot get further, so I give up.",),
    "finish_infeasible": ("This cannot be done here, so I say so and end.",),
    "because": ("The reason: {reason}.",),
    "gives_title": ("It should lead to “{title}”.", "That brings up “{title}”."),
    "gives_dialog": ("The dialog “{title}” should come up.", "That opens the dialog “{title}”."),
    "gives_app": ("That brings {app} to the front.",),
    "closes_dialog": ("The dialog is done with then.", "That closes the dialog."),
    "turns_on": ("That turns it on.", "It is off and should be on."),
    "turns_off": ("That turns it off.", "It is on and should be off."),
}
_CHINESE: Sentences = {
    "begin": ("我要完成的任务是“{task}”。", "任务是“{task}”。"),
    "title": ("当前界面是“{title}”。", "现在在“{title}”。", "屏幕上打开的是“{title}”。"),
    "dialog": ("对话框“{title}”正在等待选择。", "现在弹出了对话框“{title}”。"),
    "tap": ("我点击{target}。", "下一步要点的是{target}。", "接下来需要用到{target}。"),
    "tap_named": (
        "任务里提到“{label}”，所以我点击{target}。",
        "“{label}”正是任务所说的，即{target}。",
    ),
    "tap_field": ("需要在{target}里输入文字，先让它获得焦点。", "我先点击{target}，以便输入。"),
    "tap_right": ("我用右键打开{target}的菜单。",),
    "double_tap": ("我双击{target}。", "这里要双击{target}。"),
    "triple_tap": ("我连点{target}三下，选中整段文字。",),
    "long_press": ("我长按{target}。", "需要按住{target}不放。"),
    "hover": ("我把指针移到{target}上。",),
    "type": ("我输入“{text}”。", "要填的内容是“{text}”。"),
    "type_named": ("任务给出了“{text}”，我把它输入进去。", "任务要求写“{text}”，所以我输入它。"),
    "into": ("内容填在{target}里。", "焦点在{target}。"),
    "back": ("我按返回键。",),
    "back_leaves": ("我返回上一级。", "按返回键离开这里。"),
    "back_keyboard": ("我收起键盘。", "按返回键关闭键盘。"),
    "back_dialog": ("我离开这个对话框。", "按返回键关闭对话框。"),
    "home": ("我回到主屏幕。", "按主页键离开这个应用。"),
    "enter": ("我按回车确认。", "现在要按回车键。"),
    "key": ("我按下{key}键。",),
    "hotkey": ("我同时按下{keys}。",),
    "hold": ("我按住{keys}。",),
    "let_go": ("我松开{what}。",),
    "button_down": ("我在{target}上按下鼠标键不放。",),
    "button_down_here": ("我在指针处按下鼠标键不放。",),
    "button_up": ("我在{target}上松开鼠标键。",),
    "button_up_here": ("我在指针处松开鼠标键。",),
    "open_app": ("我打开{app}。", "接下来要用{app}，所以打开它。"),
    "open_app_named": ("任务与{app}有关，所以我打开它。", "任务提到{app}，我打开这个应用。"),
    "goto": ("我打开网址{url}。", "接下来要看的页面是{url}。"),
    "goto_named": ("任务给出了网址{url}，我打开它。",),
    "new_tab": ("我新建一个标签页。",),
    "new_tab_at": ("我在新标签页中打开{url}。",),
    "close_tab": ("我关闭这个标签页。", "这个标签页不再需要，我把它关闭。"),
    "switch_tab": ("我切换到第{number}个标签页。",),
    "switch_tab_named": ("我切换到标签页“{title}”。",),
    "seek": ("还没有看到“{label}”，所以我{way}。", "这里看不到“{label}”，我{way}找一找。"),
    "go": ("我{way}查看更多内容。", "{way}也许能看到更多。"),
    "drag": ("我把{target}拖到别处。",),
    "wait": ("我稍等片刻。", "先等一下。"),
    "answer": ("我告诉用户：“{text}”。",),
    "ask": ("我问用户：“{text}”。",),
    "answer_seen": ("屏幕上显示“{text}”，我把它告诉用户。",),
    "finish_success": ("要做的都做完了，我结束任务。", "任务已经完成，到此结束。"),
    "finish_claim": ("我认为任务已经完成，到此结束。",),
    "finish_failure": ("无法继续下去，我放弃任务。",),
    "finish_infeasible": ("这件事在这里做不到，我说明后结束。",),
    "because": ("原因：{reason}。",),
    "gives_title": ("这样应该会进入“{title}”。", "之后会出现“{title}”。"),
    "gives_dialog": ("应该会弹出对话框“{title}”。", "这会打开对话框“{title}”。"),
    "gives_app": ("这样就会切换到{app}。",),
    "closes_dialog": ("之后对话框就处理完了。", "这会关闭对话框。"),
    "turns_on": ("这会把它打开。", "它现在是关闭的，应当打开。"),
    "turns_off": ("这会把它关闭。", "它现在是打开的，应当关闭。"),
}
SENTENCES: Mapping[Language, Sentences] = {"en": _ENGLISH, "zh": _CHINESE}

KINDS: Mapping[Language, Mapping[Kind, str]] = {
    "en": {
        "button": "the button",
        "image button": "the icon",
        "image": "the icon",
        "text field": "the text field",
        "switch": "the switch",
        "checkbox": "the checkbox",
        "radio button": "the radio button",
        "slider": "the slider",
        "tab": "the tab",
        "menu": "the menu",
        "menu item": "the menu item",
        "cell": "the cell",
        "tree item": "the tree item",
        "list": "the list",
        "other": "the area",
        "item": "the item",
        "text": "the text",
    },
    "zh": {
        "button": "按钮",
        "image button": "图标",
        "image": "图标",
        "text field": "输入框",
        "switch": "开关",
        "checkbox": "复选框",
        "radio button": "单选按钮",
        "slider": "滑块",
        "tab": "标签页",
        "menu": "菜单",
        "menu item": "菜单项",
        "cell": "单元格",
        "tree item": "树节点",
        "list": "列表",
        "other": "区域",
        "item": "条目",
        "text": "文字",
    },
}
PLACES: Mapping[Language, tuple[tuple[str, str, str], ...]] = {
    "en": (
        ("at the top left", "at the top", "at the top right"),
        ("on the left", "in the middle", "on the right"),
        ("at the bottom left", "at the bottom", "at the bottom right"),
    ),
    "zh": (("左上方", "顶部", "右上方"), ("左侧", "中部", "右侧"), ("左下方", "底部", "右下方")),
}
"""Rows from the top, columns from the left; each a third of the screen."""

WAYS: Mapping[Language, Mapping[str, str]] = {
    "en": {"down": "further down", "up": "back up", "right": "further right", "left": "back left"},
    "zh": {"down": "往下翻", "up": "往上翻", "right": "往右翻", "left": "往左翻"},
}
"""Where the view goes; the finger goes the other way."""

FINGER_WAYS: Mapping[str, str] = {
    "down": "向上滑动", "up": "向下滑动", "right": "向左滑动", "left": "向右滑动",
}  # fmt: skip
"""A swipe by where the view goes, in Chinese, which says where the finger does."""


def render_element(
    language: Language,
    *,
    kind: Kind,
    label: str,
    place: str,
    beside: str = "",
    nth: int = 0,
    of: int = 0,
) -> str:
    """Renders an element for a person, such as 'the switch at the right, beside “Wi-Fi”'.

    `nth` of `of` (from 1) is its place among those of its name; `beside` is the text of its row.
    """
    noun, label, beside = (
        KINDS[language][kind],
        collapse_repetition(label),
        collapse_repetition(beside),
    )
    if language == "zh":
        named = f"{noun}“{label}”" if label else noun
        row = f"“{beside}”旁边的" if beside else ""
        order = f"（{of}个同名的里第{nth}个）" if of > 1 else ""
        return f"{place}{'' if row else '的'}{row}{named}{order}"
    named = f"{noun} “{label}”" if label else noun
    row = f" beside “{beside}”" if beside else ""
    order = f", number {nth} of {of} so named" if of > 1 else ""
    return f"{named}{row} {place}{order}"
