"""The sentences of self-made benchmarks, in English and Chinese."""

from collections.abc import Mapping

from tapwright.language import Language
from tapwright.observation import UiRole

ROLE_NAMES: Mapping[Language, Mapping[UiRole, str]] = {
    "en": {
        "switch": "switch",
        "checkbox": "checkbox",
        "radio button": "radio button",
        "text field": "text field",
        "slider": "slider",
        "button": "button",
        "other": "item",
    },
    "zh": {
        "switch": "开关",
        "checkbox": "复选框",
        "radio button": "单选按钮",
        "text field": "输入框",
        "slider": "滑块",
        "button": "按钮",
        "other": "项目",
    },
}

# What an icon of this name is for: its usual descriptions in both languages, then the purpose.
_PURPOSES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("search", "搜索"), "find something by typing words", "输入文字来查找内容"),
    (("back", "navigate up", "返回"), "go back to the previous screen", "回到上一个页面"),
    (("more options", "more", "更多", "更多选项"), "see more commands", "查看更多操作"),
    (("settings", "设置"), "change how things are set up", "更改各项配置"),
    (("add", "new", "create", "新建", "添加"), "make a new entry", "建立一个新条目"),
    (("compose", "写邮件"), "write a new message", "写一封新信"),
    (("delete", "remove", "删除"), "get rid of this for good", "把它彻底去掉"),
    (("share", "分享"), "send this to somebody else", "把它发给别人"),
    (("save", "保存"), "keep the changes", "保留所做的修改"),
    (("close", "dismiss", "关闭"), "put this away", "把它收起来"),
    (("cancel", "取消"), "leave without changing anything", "不做修改就离开"),
    (("edit", "编辑"), "change what is written here", "修改这里的内容"),
    (("menu", "open menu", "菜单"), "see the other sections of the app", "查看应用的其他部分"),
    (("call", "呼叫", "拨打"), "ring this person up", "给这个人打电话"),
    (("send", "发送"), "let the message go out", "把消息发出去"),
    (("play", "播放"), "start the sound or film", "开始播放声音或影片"),
    (("pause", "暂停"), "stop it for a while", "让它暂时停下"),
    (("favorite", "favourite", "star", "收藏"), "mark this as one you like", "标记为喜欢"),
    (("filter", "筛选"), "show only some of the entries", "只显示一部分条目"),
    (("sort", "排序"), "change the order of the entries", "改变条目的顺序"),
    (("archive", "归档"), "move this out of the list without losing it", "移出列表但不丢失"),
    (("attach", "attach file", "附件"), "put a file with it", "附上一个文件"),
)


def purpose(label: str, language: Language) -> str:
    """What a control of this name is for; empty when its name is not a usual one."""
    known = label.casefold()
    for names, english, chinese in _PURPOSES:
        if known in names:
            return english if language == "en" else chinese
    return ""


def say(language: Language, english: str, chinese: str) -> str:
    """The sentence in the screen's language."""
    return english if language == "en" else chinese
