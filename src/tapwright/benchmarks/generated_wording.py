"""The sentences of self-made benchmarks, in English and Chinese."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from tapwright.benchmarks.elements import Element
from tapwright.core.language import Language
from tapwright.core.observation import UiRole

ROLE_NAMES: Mapping[Language, Mapping[UiRole, str]] = {
    "en": {
        "switch": "switch",
        "checkbox": "checkbox",
        "radio button": "radio button",
        "text field": "text field",
        "slider": "slider",
        "button": "button",
        "tab": "tab",
        "menu": "menu",
        "menu item": "menu item",
        "cell": "cell",
        "tree item": "tree item",
        "other": "item",
    },
    "zh": {
        "switch": "开关",
        "checkbox": "复选框",
        "radio button": "单选按钮",
        "text field": "输入框",
        "slider": "滑块",
        "button": "按钮",
        "tab": "标签页",
        "menu": "菜单",
        "menu item": "菜单项",
        "cell": "单元格",
        "tree item": "树节点",
        "other": "项目",
    },
}


@dataclass(frozen=True, slots=True)
class Purpose:
    """The purpose of a control.

    One of the `names` identifies it for sure. One of the `signs` (the beginning of an English word,
    or Chinese letters, in any text of a control) means that it could serve for it as well.
    `elsewhere` is set when there is another way on every screen, such as the back gesture.
    """

    names: frozenset[str]
    signs: tuple[str, ...]
    english: str
    chinese: str
    elsewhere: bool = False

    def wording(self, language: Language) -> str:
        """In words that do not name the control."""
        return pick_wording(language, self.english, self.chinese)

    def may_serve(self, words: str) -> bool:
        """Whether a control with the text `words` could be for this."""
        return _any_of(self.signs).search(words.casefold().replace("_", " ")) is not None


@cache
def _any_of(signs: tuple[str, ...]) -> re.Pattern[str]:
    """English signs begin a word, Chinese letters stand anywhere."""
    parts = (rf"\b{re.escape(sign)}" if sign.isascii() else re.escape(sign) for sign in signs)
    return re.compile("|".join(parts))


def _purpose(
    names: str, signs: str, english: str, chinese: str, *, elsewhere: bool = False
) -> Purpose:
    named = frozenset(names.split("|"))
    return Purpose(named, tuple(signs.split("|")), english, chinese, elsewhere)


_MORE = "more|menu|option|overflow|drawer|section|folder|更多|菜单|选项|栏目|文件夹"
_LEAVE = "back|up|close|dismiss|cancel|exit|return|done|返回|关闭|取消|退出|完成"
_KEEP = "save|done|ok|apply|confirm|create|keep|finish|add|保存|完成|确定|应用|确认|创建|添加"
_ADD = "add|new|create|compose|write|plus|insert|新建|添加|新增|创建|写|加"
PURPOSES: tuple[Purpose, ...] = (
    _purpose(
        "search|搜索", "search|find|look|query|搜索|查找|查询", "find something by typing words",
        "输入文字来查找内容",
    ),
    _purpose(
        "back|navigate up|返回", _LEAVE, "go back to the previous screen", "回到上一个页面",
        elsewhere=True,
    ),
    _purpose("more options|more|更多|更多选项", _MORE, "see more commands", "查看更多操作"),
    _purpose(
        "settings|设置",
        "setting|preference|option|configur|account|profile|设置|选项|账号|账户|我的",
        "change how things are set up", "更改各项配置",
    ),
    _purpose("add|new|create|新建|添加", _ADD, "make a new entry", "建立一个新条目"),
    _purpose(
        "compose|写邮件", f"{_ADD}|reply|forward|message|mail|回复|转发|邮件|短信",
        "write a new message", "写一封新信",
    ),
    _purpose(
        "delete|remove|删除",
        "delete|remove|trash|bin|clear|discard|erase|archive|删除|移除|清除|清空|回收站|归档",
        "get rid of this for good", "把它彻底去掉",
    ),
    _purpose(
        "share|分享", "share|send|forward|mail|message|分享|发送|转发|共享|短信|邮件",
        "send this to somebody else", "把它发给别人",
    ),
    _purpose("save|保存", _KEEP, "keep the changes", "保留所做的修改"),
    _purpose("close|dismiss|关闭", _LEAVE, "put this away", "把它收起来", elsewhere=True),
    _purpose(
        "cancel|取消", _LEAVE, "leave without changing anything", "不做修改就离开", elsewhere=True
    ),
    _purpose(
        "edit|编辑", "edit|rename|change|modify|pencil|编辑|修改|更改|重命名",
        "change what is written here", "修改这里的内容",
    ),
    _purpose(
        "menu|open menu|菜单", _MORE, "see the other sections of the app", "查看应用的其他部分"
    ),
    _purpose(
        "call|呼叫|拨打", "call|dial|phone|mobile|tel|呼叫|拨|电话|通话|手机",
        "ring this person up", "给这个人打电话",
    ),
    _purpose(
        "send|发送", "send|submit|share|forward|reply|发送|提交|转发|回复|发出",
        "let the message go out", "把消息发出去",
    ),
    _purpose(
        "play|播放", "play|start|resume|listen|watch|preview|播放|开始|继续|试听|预览",
        "start the sound or film", "开始播放声音或影片",
    ),
    _purpose("pause|暂停", "pause|stop|hold|暂停|停止", "stop it for a while", "让它暂时停下"),
    _purpose(
        "favorite|favourite|star|add star|add to favorites|收藏|加星标",
        "favorite|favourite|star|like|wish|bookmark|heart|pin|love|收藏|星标|喜欢|心愿|置顶|赞",
        "mark this as one you like", "标记为喜欢",
    ),
    _purpose(
        "filter|筛选", "filter|search|show|categor|all|unread|筛选|过滤|搜索|分类|全部|未读",
        "show only some of the entries", "只显示一部分条目",
    ),
    _purpose(
        "sort|排序", "sort|order|arrange|排序|排列|顺序", "change the order of the entries",
        "改变条目的顺序",
    ),
    _purpose(
        "archive|归档", "archive|move|hide|归档|移动|隐藏",
        "move this out of the list without losing it", "移出列表但不丢失",
    ),
    _purpose(
        "attach|attach file|attach a file|添加附件",
        "attach|file|upload|insert|附件|文件|上传|插入", "put a file with it", "附上一个文件",
    ),
)  # fmt: skip
SEARCH = PURPOSES[0]


def control_purpose(element: Element) -> Purpose | None:
    """The purpose of a button, by its name; None for an unusual name, or a chip.

    A chip of that name (what can be checked or selected) shows only such entries.
    """
    node, known = element.node, element.label.casefold()
    if element.role != "button" or node.is_("checkable") or node.is_("selected"):
        return None
    return next((purpose for purpose in PURPOSES if known in purpose.names), None)


def pick_wording(language: Language, english: str, chinese: str) -> str:
    """The sentence in the screen's language."""
    return english if language == "en" else chinese


def quote_task(task: str, language: Language) -> str:
    """A task as one sentence with one mark at its end."""
    line = task.strip().rstrip(".。 ")
    return (
        line if line.endswith(("?", "!", "？", "！")) else line + pick_wording(language, ".", "。")
    )
