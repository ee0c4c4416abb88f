from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class BytesList(_message.Message):
    __slots__ = ("value",)
    VALUE_FIELD_NUMBER: _ClassVar[int]
    value: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, value: _Optional[_Iterable[bytes]] = ...) -> None: ...

class FloatList(_message.Message):
    __slots__ = ("value",)
    VALUE_FIELD_NUMBER: _ClassVar[int]
    value: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, value: _Optional[_Iterable[float]] = ...) -> None: ...

class Int64List(_message.Message):
    __slots__ = ("value",)
    VALUE_FIELD_NUMBER: _ClassVar[int]
    value: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, value: _Optional[_Iterable[int]] = ...) -> None: ...

class Feature(_message.Message):
    __slots__ = ("bytes_list", "float_list", "int64_list")
    BYTES_LIST_FIELD_NUMBER: _ClassVar[int]
    FLOAT_LIST_FIELD_NUMBER: _ClassVar[int]
    INT64_LIST_FIELD_NUMBER: _ClassVar[int]
    bytes_list: BytesList
    float_list: FloatList
    int64_list: Int64List
    def __init__(self, bytes_list: _Optional[_Union[BytesList, _Mapping]] = ..., float_list: _Optional[_Union[FloatList, _Mapping]] = ..., int64_list: _Optional[_Union[Int64List, _Mapping]] = ...) -> None: ...

class Features(_message.Message):
    __slots__ = ("feature",)
    class FeatureEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Feature
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Feature, _Mapping]] = ...) -> None: ...
    FEATURE_FIELD_NUMBER: _ClassVar[int]
    feature: _containers.MessageMap[str, Feature]
    def __init__(self, feature: _Optional[_Mapping[str, Feature]] = ...) -> None: ...

class Example(_message.Message):
    __slots__ = ("features",)
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    features: Features
    def __init__(self, features: _Optional[_Union[Features, _Mapping]] = ...) -> None: ...

class Rect(_message.Message):
    __slots__ = ("left", "top", "right", "bottom")
    LEFT_FIELD_NUMBER: _ClassVar[int]
    TOP_FIELD_NUMBER: _ClassVar[int]
    RIGHT_FIELD_NUMBER: _ClassVar[int]
    BOTTOM_FIELD_NUMBER: _ClassVar[int]
    left: int
    top: int
    right: int
    bottom: int
    def __init__(self, left: _Optional[int] = ..., top: _Optional[int] = ..., right: _Optional[int] = ..., bottom: _Optional[int] = ...) -> None: ...

class AccessibilityNode(_message.Message):
    __slots__ = ("unique_id", "bounds_in_screen", "class_name", "content_description", "hint_text", "package_name", "text", "view_id_resource_name", "is_checkable", "is_checked", "is_clickable", "is_enabled", "is_focusable", "is_focused", "is_long_clickable", "is_password", "is_scrollable", "is_selected", "is_visible_to_user", "child_ids")
    UNIQUE_ID_FIELD_NUMBER: _ClassVar[int]
    BOUNDS_IN_SCREEN_FIELD_NUMBER: _ClassVar[int]
    CLASS_NAME_FIELD_NUMBER: _ClassVar[int]
    CONTENT_DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    HINT_TEXT_FIELD_NUMBER: _ClassVar[int]
    PACKAGE_NAME_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    VIEW_ID_RESOURCE_NAME_FIELD_NUMBER: _ClassVar[int]
    IS_CHECKABLE_FIELD_NUMBER: _ClassVar[int]
    IS_CHECKED_FIELD_NUMBER: _ClassVar[int]
    IS_CLICKABLE_FIELD_NUMBER: _ClassVar[int]
    IS_ENABLED_FIELD_NUMBER: _ClassVar[int]
    IS_FOCUSABLE_FIELD_NUMBER: _ClassVar[int]
    IS_FOCUSED_FIELD_NUMBER: _ClassVar[int]
    IS_LONG_CLICKABLE_FIELD_NUMBER: _ClassVar[int]
    IS_PASSWORD_FIELD_NUMBER: _ClassVar[int]
    IS_SCROLLABLE_FIELD_NUMBER: _ClassVar[int]
    IS_SELECTED_FIELD_NUMBER: _ClassVar[int]
    IS_VISIBLE_TO_USER_FIELD_NUMBER: _ClassVar[int]
    CHILD_IDS_FIELD_NUMBER: _ClassVar[int]
    unique_id: int
    bounds_in_screen: Rect
    class_name: str
    content_description: str
    hint_text: str
    package_name: str
    text: str
    view_id_resource_name: str
    is_checkable: bool
    is_checked: bool
    is_clickable: bool
    is_enabled: bool
    is_focusable: bool
    is_focused: bool
    is_long_clickable: bool
    is_password: bool
    is_scrollable: bool
    is_selected: bool
    is_visible_to_user: bool
    child_ids: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, unique_id: _Optional[int] = ..., bounds_in_screen: _Optional[_Union[Rect, _Mapping]] = ..., class_name: _Optional[str] = ..., content_description: _Optional[str] = ..., hint_text: _Optional[str] = ..., package_name: _Optional[str] = ..., text: _Optional[str] = ..., view_id_resource_name: _Optional[str] = ..., is_checkable: bool = ..., is_checked: bool = ..., is_clickable: bool = ..., is_enabled: bool = ..., is_focusable: bool = ..., is_focused: bool = ..., is_long_clickable: bool = ..., is_password: bool = ..., is_scrollable: bool = ..., is_selected: bool = ..., is_visible_to_user: bool = ..., child_ids: _Optional[_Iterable[int]] = ...) -> None: ...

class AccessibilityTree(_message.Message):
    __slots__ = ("nodes",)
    NODES_FIELD_NUMBER: _ClassVar[int]
    nodes: _containers.RepeatedCompositeFieldContainer[AccessibilityNode]
    def __init__(self, nodes: _Optional[_Iterable[_Union[AccessibilityNode, _Mapping]]] = ...) -> None: ...

class AccessibilityWindow(_message.Message):
    __slots__ = ("bounds_in_screen", "layer", "title", "is_active", "tree")
    BOUNDS_IN_SCREEN_FIELD_NUMBER: _ClassVar[int]
    LAYER_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    IS_ACTIVE_FIELD_NUMBER: _ClassVar[int]
    TREE_FIELD_NUMBER: _ClassVar[int]
    bounds_in_screen: Rect
    layer: int
    title: str
    is_active: bool
    tree: AccessibilityTree
    def __init__(self, bounds_in_screen: _Optional[_Union[Rect, _Mapping]] = ..., layer: _Optional[int] = ..., title: _Optional[str] = ..., is_active: bool = ..., tree: _Optional[_Union[AccessibilityTree, _Mapping]] = ...) -> None: ...

class AccessibilityForest(_message.Message):
    __slots__ = ("windows",)
    WINDOWS_FIELD_NUMBER: _ClassVar[int]
    windows: _containers.RepeatedCompositeFieldContainer[AccessibilityWindow]
    def __init__(self, windows: _Optional[_Iterable[_Union[AccessibilityWindow, _Mapping]]] = ...) -> None: ...
