from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Task(_message.Message):
    __slots__ = ("id", "name", "description", "setup_steps", "reset_steps", "expected_app_screen", "max_duration_sec", "max_num_steps", "event_sources", "event_slots", "extras_spec", "command", "vocabulary", "tapwright")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    SETUP_STEPS_FIELD_NUMBER: _ClassVar[int]
    RESET_STEPS_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_APP_SCREEN_FIELD_NUMBER: _ClassVar[int]
    MAX_DURATION_SEC_FIELD_NUMBER: _ClassVar[int]
    MAX_NUM_STEPS_FIELD_NUMBER: _ClassVar[int]
    EVENT_SOURCES_FIELD_NUMBER: _ClassVar[int]
    EVENT_SLOTS_FIELD_NUMBER: _ClassVar[int]
    EXTRAS_SPEC_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    VOCABULARY_FIELD_NUMBER: _ClassVar[int]
    TAPWRIGHT_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    description: str
    setup_steps: _containers.RepeatedCompositeFieldContainer[SetupStep]
    reset_steps: _containers.RepeatedCompositeFieldContainer[SetupStep]
    expected_app_screen: AppScreen
    max_duration_sec: float
    max_num_steps: int
    event_sources: _containers.RepeatedCompositeFieldContainer[EventSource]
    event_slots: TaskEventSlots
    extras_spec: _containers.RepeatedCompositeFieldContainer[ArraySpec]
    command: _containers.RepeatedScalarFieldContainer[str]
    vocabulary: _containers.RepeatedScalarFieldContainer[str]
    tapwright: Tapwright
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., setup_steps: _Optional[_Iterable[_Union[SetupStep, _Mapping]]] = ..., reset_steps: _Optional[_Iterable[_Union[SetupStep, _Mapping]]] = ..., expected_app_screen: _Optional[_Union[AppScreen, _Mapping]] = ..., max_duration_sec: _Optional[float] = ..., max_num_steps: _Optional[int] = ..., event_sources: _Optional[_Iterable[_Union[EventSource, _Mapping]]] = ..., event_slots: _Optional[_Union[TaskEventSlots, _Mapping]] = ..., extras_spec: _Optional[_Iterable[_Union[ArraySpec, _Mapping]]] = ..., command: _Optional[_Iterable[str]] = ..., vocabulary: _Optional[_Iterable[str]] = ..., tapwright: _Optional[_Union[Tapwright, _Mapping]] = ...) -> None: ...

class AppScreen(_message.Message):
    __slots__ = ("activity", "view_hierarchy_path")
    ACTIVITY_FIELD_NUMBER: _ClassVar[int]
    VIEW_HIERARCHY_PATH_FIELD_NUMBER: _ClassVar[int]
    activity: str
    view_hierarchy_path: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, activity: _Optional[str] = ..., view_hierarchy_path: _Optional[_Iterable[str]] = ...) -> None: ...

class SetupStep(_message.Message):
    __slots__ = ("success_condition", "adb_call", "sleep")
    SUCCESS_CONDITION_FIELD_NUMBER: _ClassVar[int]
    ADB_CALL_FIELD_NUMBER: _ClassVar[int]
    SLEEP_FIELD_NUMBER: _ClassVar[int]
    success_condition: SuccessCondition
    adb_call: AdbCall
    sleep: Sleep
    def __init__(self, success_condition: _Optional[_Union[SuccessCondition, _Mapping]] = ..., adb_call: _Optional[_Union[AdbCall, _Mapping]] = ..., sleep: _Optional[_Union[Sleep, _Mapping]] = ...) -> None: ...

class Sleep(_message.Message):
    __slots__ = ("time_sec",)
    TIME_SEC_FIELD_NUMBER: _ClassVar[int]
    time_sec: float
    def __init__(self, time_sec: _Optional[float] = ...) -> None: ...

class SuccessCondition(_message.Message):
    __slots__ = ("num_retries", "wait_for_app_screen", "check_install", "wait_for_message")
    NUM_RETRIES_FIELD_NUMBER: _ClassVar[int]
    WAIT_FOR_APP_SCREEN_FIELD_NUMBER: _ClassVar[int]
    CHECK_INSTALL_FIELD_NUMBER: _ClassVar[int]
    WAIT_FOR_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    num_retries: int
    wait_for_app_screen: WaitForAppScreen
    check_install: CheckInstall
    wait_for_message: WaitForMessage
    def __init__(self, num_retries: _Optional[int] = ..., wait_for_app_screen: _Optional[_Union[WaitForAppScreen, _Mapping]] = ..., check_install: _Optional[_Union[CheckInstall, _Mapping]] = ..., wait_for_message: _Optional[_Union[WaitForMessage, _Mapping]] = ...) -> None: ...

class WaitForAppScreen(_message.Message):
    __slots__ = ("app_screen", "timeout_sec")
    APP_SCREEN_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_SEC_FIELD_NUMBER: _ClassVar[int]
    app_screen: AppScreen
    timeout_sec: float
    def __init__(self, app_screen: _Optional[_Union[AppScreen, _Mapping]] = ..., timeout_sec: _Optional[float] = ...) -> None: ...

class CheckInstall(_message.Message):
    __slots__ = ("package_name", "timeout_sec")
    PACKAGE_NAME_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_SEC_FIELD_NUMBER: _ClassVar[int]
    package_name: str
    timeout_sec: float
    def __init__(self, package_name: _Optional[str] = ..., timeout_sec: _Optional[float] = ...) -> None: ...

class WaitForMessage(_message.Message):
    __slots__ = ("message", "timeout_sec")
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_SEC_FIELD_NUMBER: _ClassVar[int]
    message: str
    timeout_sec: float
    def __init__(self, message: _Optional[str] = ..., timeout_sec: _Optional[float] = ...) -> None: ...

class AdbCall(_message.Message):
    __slots__ = ("install_apk", "start_activity", "force_stop", "clear_cache", "grant_permissions", "tap", "press_button", "rotate", "start_accessibility_service", "start_screen_pinning", "start_random_activity", "force_stop_random_activity", "clear_cache_random_activity", "disable_animations", "start_intent", "uninstall_package", "shell_command", "adb_command")
    class InstallApk(_message.Message):
        __slots__ = ("filesystem",)
        class Filesystem(_message.Message):
            __slots__ = ("path",)
            PATH_FIELD_NUMBER: _ClassVar[int]
            path: str
            def __init__(self, path: _Optional[str] = ...) -> None: ...
        FILESYSTEM_FIELD_NUMBER: _ClassVar[int]
        filesystem: AdbCall.InstallApk.Filesystem
        def __init__(self, filesystem: _Optional[_Union[AdbCall.InstallApk.Filesystem, _Mapping]] = ...) -> None: ...
    class StartActivity(_message.Message):
        __slots__ = ("full_activity", "extra_args", "flag")
        FULL_ACTIVITY_FIELD_NUMBER: _ClassVar[int]
        EXTRA_ARGS_FIELD_NUMBER: _ClassVar[int]
        FLAG_FIELD_NUMBER: _ClassVar[int]
        full_activity: str
        extra_args: _containers.RepeatedScalarFieldContainer[str]
        flag: str
        def __init__(self, full_activity: _Optional[str] = ..., extra_args: _Optional[_Iterable[str]] = ..., flag: _Optional[str] = ...) -> None: ...
    class StartIntent(_message.Message):
        __slots__ = ("data_uri", "action", "package_name")
        DATA_URI_FIELD_NUMBER: _ClassVar[int]
        ACTION_FIELD_NUMBER: _ClassVar[int]
        PACKAGE_NAME_FIELD_NUMBER: _ClassVar[int]
        data_uri: str
        action: str
        package_name: str
        def __init__(self, data_uri: _Optional[str] = ..., action: _Optional[str] = ..., package_name: _Optional[str] = ...) -> None: ...
    class StartRandomActivity(_message.Message):
        __slots__ = ("activity_list", "extra_args", "timeout_sec")
        ACTIVITY_LIST_FIELD_NUMBER: _ClassVar[int]
        EXTRA_ARGS_FIELD_NUMBER: _ClassVar[int]
        TIMEOUT_SEC_FIELD_NUMBER: _ClassVar[int]
        activity_list: _containers.RepeatedScalarFieldContainer[str]
        extra_args: _containers.RepeatedScalarFieldContainer[str]
        timeout_sec: float
        def __init__(self, activity_list: _Optional[_Iterable[str]] = ..., extra_args: _Optional[_Iterable[str]] = ..., timeout_sec: _Optional[float] = ...) -> None: ...
    class ForceStop(_message.Message):
        __slots__ = ("package_name",)
        PACKAGE_NAME_FIELD_NUMBER: _ClassVar[int]
        package_name: str
        def __init__(self, package_name: _Optional[str] = ...) -> None: ...
    class ForceStopRandomActivity(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class ClearCache(_message.Message):
        __slots__ = ("package_name",)
        PACKAGE_NAME_FIELD_NUMBER: _ClassVar[int]
        package_name: str
        def __init__(self, package_name: _Optional[str] = ...) -> None: ...
    class ClearCacheRandomActivity(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class UninstallPackage(_message.Message):
        __slots__ = ("package_name",)
        PACKAGE_NAME_FIELD_NUMBER: _ClassVar[int]
        package_name: str
        def __init__(self, package_name: _Optional[str] = ...) -> None: ...
    class GrantPermissions(_message.Message):
        __slots__ = ("package_name", "permissions")
        PACKAGE_NAME_FIELD_NUMBER: _ClassVar[int]
        PERMISSIONS_FIELD_NUMBER: _ClassVar[int]
        package_name: str
        permissions: _containers.RepeatedScalarFieldContainer[str]
        def __init__(self, package_name: _Optional[str] = ..., permissions: _Optional[_Iterable[str]] = ...) -> None: ...
    class DisableAnimations(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Tap(_message.Message):
        __slots__ = ("x", "y")
        X_FIELD_NUMBER: _ClassVar[int]
        Y_FIELD_NUMBER: _ClassVar[int]
        x: int
        y: int
        def __init__(self, x: _Optional[int] = ..., y: _Optional[int] = ...) -> None: ...
    class PressButton(_message.Message):
        __slots__ = ("button",)
        class Button(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
            __slots__ = ()
            HOME: _ClassVar[AdbCall.PressButton.Button]
            BACK: _ClassVar[AdbCall.PressButton.Button]
        HOME: AdbCall.PressButton.Button
        BACK: AdbCall.PressButton.Button
        BUTTON_FIELD_NUMBER: _ClassVar[int]
        button: AdbCall.PressButton.Button
        def __init__(self, button: _Optional[_Union[AdbCall.PressButton.Button, str]] = ...) -> None: ...
    class Rotate(_message.Message):
        __slots__ = ("orientation",)
        class Orientation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
            __slots__ = ()
            PORTRAIT_0: _ClassVar[AdbCall.Rotate.Orientation]
            LANDSCAPE_90: _ClassVar[AdbCall.Rotate.Orientation]
            PORTRAIT_180: _ClassVar[AdbCall.Rotate.Orientation]
            LANDSCAPE_270: _ClassVar[AdbCall.Rotate.Orientation]
        PORTRAIT_0: AdbCall.Rotate.Orientation
        LANDSCAPE_90: AdbCall.Rotate.Orientation
        PORTRAIT_180: AdbCall.Rotate.Orientation
        LANDSCAPE_270: AdbCall.Rotate.Orientation
        ORIENTATION_FIELD_NUMBER: _ClassVar[int]
        orientation: AdbCall.Rotate.Orientation
        def __init__(self, orientation: _Optional[_Union[AdbCall.Rotate.Orientation, str]] = ...) -> None: ...
    class StartAccessibilityService(_message.Message):
        __slots__ = ("full_service",)
        FULL_SERVICE_FIELD_NUMBER: _ClassVar[int]
        full_service: str
        def __init__(self, full_service: _Optional[str] = ...) -> None: ...
    class StartScreenPinning(_message.Message):
        __slots__ = ("full_activity",)
        FULL_ACTIVITY_FIELD_NUMBER: _ClassVar[int]
        full_activity: str
        def __init__(self, full_activity: _Optional[str] = ...) -> None: ...
    class Command(_message.Message):
        __slots__ = ("command",)
        COMMAND_FIELD_NUMBER: _ClassVar[int]
        command: _containers.RepeatedScalarFieldContainer[str]
        def __init__(self, command: _Optional[_Iterable[str]] = ...) -> None: ...
    INSTALL_APK_FIELD_NUMBER: _ClassVar[int]
    START_ACTIVITY_FIELD_NUMBER: _ClassVar[int]
    FORCE_STOP_FIELD_NUMBER: _ClassVar[int]
    CLEAR_CACHE_FIELD_NUMBER: _ClassVar[int]
    GRANT_PERMISSIONS_FIELD_NUMBER: _ClassVar[int]
    TAP_FIELD_NUMBER: _ClassVar[int]
    PRESS_BUTTON_FIELD_NUMBER: _ClassVar[int]
    ROTATE_FIELD_NUMBER: _ClassVar[int]
    START_ACCESSIBILITY_SERVICE_FIELD_NUMBER: _ClassVar[int]
    START_SCREEN_PINNING_FIELD_NUMBER: _ClassVar[int]
    START_RANDOM_ACTIVITY_FIELD_NUMBER: _ClassVar[int]
    FORCE_STOP_RANDOM_ACTIVITY_FIELD_NUMBER: _ClassVar[int]
    CLEAR_CACHE_RANDOM_ACTIVITY_FIELD_NUMBER: _ClassVar[int]
    DISABLE_ANIMATIONS_FIELD_NUMBER: _ClassVar[int]
    START_INTENT_FIELD_NUMBER: _ClassVar[int]
    UNINSTALL_PACKAGE_FIELD_NUMBER: _ClassVar[int]
    SHELL_COMMAND_FIELD_NUMBER: _ClassVar[int]
    ADB_COMMAND_FIELD_NUMBER: _ClassVar[int]
    install_apk: AdbCall.InstallApk
    start_activity: AdbCall.StartActivity
    force_stop: AdbCall.ForceStop
    clear_cache: AdbCall.ClearCache
    grant_permissions: AdbCall.GrantPermissions
    tap: AdbCall.Tap
    press_button: AdbCall.PressButton
    rotate: AdbCall.Rotate
    start_accessibility_service: AdbCall.StartAccessibilityService
    start_screen_pinning: AdbCall.StartScreenPinning
    start_random_activity: AdbCall.StartRandomActivity
    force_stop_random_activity: AdbCall.ForceStopRandomActivity
    clear_cache_random_activity: AdbCall.ClearCacheRandomActivity
    disable_animations: AdbCall.DisableAnimations
    start_intent: AdbCall.StartIntent
    uninstall_package: AdbCall.UninstallPackage
    shell_command: AdbCall.Command
    adb_command: AdbCall.Command
    def __init__(self, install_apk: _Optional[_Union[AdbCall.InstallApk, _Mapping]] = ..., start_activity: _Optional[_Union[AdbCall.StartActivity, _Mapping]] = ..., force_stop: _Optional[_Union[AdbCall.ForceStop, _Mapping]] = ..., clear_cache: _Optional[_Union[AdbCall.ClearCache, _Mapping]] = ..., grant_permissions: _Optional[_Union[AdbCall.GrantPermissions, _Mapping]] = ..., tap: _Optional[_Union[AdbCall.Tap, _Mapping]] = ..., press_button: _Optional[_Union[AdbCall.PressButton, _Mapping]] = ..., rotate: _Optional[_Union[AdbCall.Rotate, _Mapping]] = ..., start_accessibility_service: _Optional[_Union[AdbCall.StartAccessibilityService, _Mapping]] = ..., start_screen_pinning: _Optional[_Union[AdbCall.StartScreenPinning, _Mapping]] = ..., start_random_activity: _Optional[_Union[AdbCall.StartRandomActivity, _Mapping]] = ..., force_stop_random_activity: _Optional[_Union[AdbCall.ForceStopRandomActivity, _Mapping]] = ..., clear_cache_random_activity: _Optional[_Union[AdbCall.ClearCacheRandomActivity, _Mapping]] = ..., disable_animations: _Optional[_Union[AdbCall.DisableAnimations, _Mapping]] = ..., start_intent: _Optional[_Union[AdbCall.StartIntent, _Mapping]] = ..., uninstall_package: _Optional[_Union[AdbCall.UninstallPackage, _Mapping]] = ..., shell_command: _Optional[_Union[AdbCall.Command, _Mapping]] = ..., adb_command: _Optional[_Union[AdbCall.Command, _Mapping]] = ...) -> None: ...

class ArraySpec(_message.Message):
    __slots__ = ("name", "shape", "dtype")
    class DataType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        INVALID_DATA_TYPE: _ClassVar[ArraySpec.DataType]
        FLOAT: _ClassVar[ArraySpec.DataType]
        DOUBLE: _ClassVar[ArraySpec.DataType]
        INT8: _ClassVar[ArraySpec.DataType]
        INT16: _ClassVar[ArraySpec.DataType]
        INT32: _ClassVar[ArraySpec.DataType]
        INT64: _ClassVar[ArraySpec.DataType]
        UINT8: _ClassVar[ArraySpec.DataType]
        UINT16: _ClassVar[ArraySpec.DataType]
        UINT32: _ClassVar[ArraySpec.DataType]
        UINT64: _ClassVar[ArraySpec.DataType]
        BOOL: _ClassVar[ArraySpec.DataType]
        STRING_U1: _ClassVar[ArraySpec.DataType]
        STRING_U16: _ClassVar[ArraySpec.DataType]
        STRING_U25: _ClassVar[ArraySpec.DataType]
        STRING_U250: _ClassVar[ArraySpec.DataType]
    INVALID_DATA_TYPE: ArraySpec.DataType
    FLOAT: ArraySpec.DataType
    DOUBLE: ArraySpec.DataType
    INT8: ArraySpec.DataType
    INT16: ArraySpec.DataType
    INT32: ArraySpec.DataType
    INT64: ArraySpec.DataType
    UINT8: ArraySpec.DataType
    UINT16: ArraySpec.DataType
    UINT32: ArraySpec.DataType
    UINT64: ArraySpec.DataType
    BOOL: ArraySpec.DataType
    STRING_U1: ArraySpec.DataType
    STRING_U16: ArraySpec.DataType
    STRING_U25: ArraySpec.DataType
    STRING_U250: ArraySpec.DataType
    NAME_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    DTYPE_FIELD_NUMBER: _ClassVar[int]
    name: str
    shape: _containers.RepeatedScalarFieldContainer[int]
    dtype: ArraySpec.DataType
    def __init__(self, name: _Optional[str] = ..., shape: _Optional[_Iterable[int]] = ..., dtype: _Optional[_Union[ArraySpec.DataType, str]] = ...) -> None: ...

class EventSource(_message.Message):
    __slots__ = ("text_recognize", "text_detect", "icon_recognize", "icon_detect", "icon_match", "icon_detect_match", "view_hierarchy_event", "log_event", "response_event", "state_event", "finish_event", "id", "repeatability")
    class Mode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        REGEX: _ClassVar[EventSource.Mode]
        DIFFLIB: _ClassVar[EventSource.Mode]
        FUZZ: _ClassVar[EventSource.Mode]
        SBERT: _ClassVar[EventSource.Mode]
    REGEX: EventSource.Mode
    DIFFLIB: EventSource.Mode
    FUZZ: EventSource.Mode
    SBERT: EventSource.Mode
    class Repeatability(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        NONE: _ClassVar[EventSource.Repeatability]
        LAST: _ClassVar[EventSource.Repeatability]
        UNLIMITED: _ClassVar[EventSource.Repeatability]
    NONE: EventSource.Repeatability
    LAST: EventSource.Repeatability
    UNLIMITED: EventSource.Repeatability
    class Rect(_message.Message):
        __slots__ = ("x0", "y0", "x1", "y1")
        X0_FIELD_NUMBER: _ClassVar[int]
        Y0_FIELD_NUMBER: _ClassVar[int]
        X1_FIELD_NUMBER: _ClassVar[int]
        Y1_FIELD_NUMBER: _ClassVar[int]
        x0: float
        y0: float
        x1: float
        y1: float
        def __init__(self, x0: _Optional[float] = ..., y0: _Optional[float] = ..., x1: _Optional[float] = ..., y1: _Optional[float] = ...) -> None: ...
    class TextEvent(_message.Message):
        __slots__ = ("expect", "rect", "mode", "threshold")
        EXPECT_FIELD_NUMBER: _ClassVar[int]
        RECT_FIELD_NUMBER: _ClassVar[int]
        MODE_FIELD_NUMBER: _ClassVar[int]
        THRESHOLD_FIELD_NUMBER: _ClassVar[int]
        expect: str
        rect: EventSource.Rect
        mode: EventSource.Mode
        threshold: float
        def __init__(self, expect: _Optional[str] = ..., rect: _Optional[_Union[EventSource.Rect, _Mapping]] = ..., mode: _Optional[_Union[EventSource.Mode, str]] = ..., threshold: _Optional[float] = ...) -> None: ...
    class IconRecogEvent(_message.Message):
        __slots__ = ("rect",)
        CLASS_FIELD_NUMBER: _ClassVar[int]
        RECT_FIELD_NUMBER: _ClassVar[int]
        rect: EventSource.Rect
        def __init__(self, rect: _Optional[_Union[EventSource.Rect, _Mapping]] = ..., **kwargs) -> None: ...
    class IconMatchEvent(_message.Message):
        __slots__ = ("path", "rect")
        PATH_FIELD_NUMBER: _ClassVar[int]
        RECT_FIELD_NUMBER: _ClassVar[int]
        path: str
        rect: EventSource.Rect
        def __init__(self, path: _Optional[str] = ..., rect: _Optional[_Union[EventSource.Rect, _Mapping]] = ...) -> None: ...
    class ViewHierarchyEvent(_message.Message):
        __slots__ = ("properties", "selector")
        class Sign(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
            __slots__ = ()
            EQ: _ClassVar[EventSource.ViewHierarchyEvent.Sign]
            LE: _ClassVar[EventSource.ViewHierarchyEvent.Sign]
            LT: _ClassVar[EventSource.ViewHierarchyEvent.Sign]
            GE: _ClassVar[EventSource.ViewHierarchyEvent.Sign]
            GT: _ClassVar[EventSource.ViewHierarchyEvent.Sign]
            NE: _ClassVar[EventSource.ViewHierarchyEvent.Sign]
        EQ: EventSource.ViewHierarchyEvent.Sign
        LE: EventSource.ViewHierarchyEvent.Sign
        LT: EventSource.ViewHierarchyEvent.Sign
        GE: EventSource.ViewHierarchyEvent.Sign
        GT: EventSource.ViewHierarchyEvent.Sign
        NE: EventSource.ViewHierarchyEvent.Sign
        class Property(_message.Message):
            __slots__ = ("property_name", "sign", "pattern", "integer", "floating")
            PROPERTY_NAME_FIELD_NUMBER: _ClassVar[int]
            SIGN_FIELD_NUMBER: _ClassVar[int]
            PATTERN_FIELD_NUMBER: _ClassVar[int]
            INTEGER_FIELD_NUMBER: _ClassVar[int]
            FLOATING_FIELD_NUMBER: _ClassVar[int]
            property_name: str
            sign: EventSource.ViewHierarchyEvent.Sign
            pattern: str
            integer: int
            floating: float
            def __init__(self, property_name: _Optional[str] = ..., sign: _Optional[_Union[EventSource.ViewHierarchyEvent.Sign, str]] = ..., pattern: _Optional[str] = ..., integer: _Optional[int] = ..., floating: _Optional[float] = ...) -> None: ...
        PROPERTIES_FIELD_NUMBER: _ClassVar[int]
        SELECTOR_FIELD_NUMBER: _ClassVar[int]
        properties: _containers.RepeatedCompositeFieldContainer[EventSource.ViewHierarchyEvent.Property]
        selector: _containers.RepeatedScalarFieldContainer[str]
        def __init__(self, properties: _Optional[_Iterable[_Union[EventSource.ViewHierarchyEvent.Property, _Mapping]]] = ..., selector: _Optional[_Iterable[str]] = ...) -> None: ...
    class LogEvent(_message.Message):
        __slots__ = ("filters", "pattern")
        FILTERS_FIELD_NUMBER: _ClassVar[int]
        PATTERN_FIELD_NUMBER: _ClassVar[int]
        filters: _containers.RepeatedScalarFieldContainer[str]
        pattern: str
        def __init__(self, filters: _Optional[_Iterable[str]] = ..., pattern: _Optional[str] = ...) -> None: ...
    class ResponseEvent(_message.Message):
        __slots__ = ("pattern", "mode", "threshold")
        PATTERN_FIELD_NUMBER: _ClassVar[int]
        MODE_FIELD_NUMBER: _ClassVar[int]
        THRESHOLD_FIELD_NUMBER: _ClassVar[int]
        pattern: str
        mode: EventSource.Mode
        threshold: float
        def __init__(self, pattern: _Optional[str] = ..., mode: _Optional[_Union[EventSource.Mode, str]] = ..., threshold: _Optional[float] = ...) -> None: ...
    class StateEvent(_message.Message):
        __slots__ = ("path", "equals", "items")
        class Items(_message.Message):
            __slots__ = ("fields", "count")
            class Field(_message.Message):
                __slots__ = ("name", "equals", "contains")
                NAME_FIELD_NUMBER: _ClassVar[int]
                EQUALS_FIELD_NUMBER: _ClassVar[int]
                CONTAINS_FIELD_NUMBER: _ClassVar[int]
                name: str
                equals: _struct_pb2.Value
                contains: str
                def __init__(self, name: _Optional[str] = ..., equals: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., contains: _Optional[str] = ...) -> None: ...
            FIELDS_FIELD_NUMBER: _ClassVar[int]
            COUNT_FIELD_NUMBER: _ClassVar[int]
            fields: _containers.RepeatedCompositeFieldContainer[EventSource.StateEvent.Items.Field]
            count: int
            def __init__(self, fields: _Optional[_Iterable[_Union[EventSource.StateEvent.Items.Field, _Mapping]]] = ..., count: _Optional[int] = ...) -> None: ...
        PATH_FIELD_NUMBER: _ClassVar[int]
        EQUALS_FIELD_NUMBER: _ClassVar[int]
        ITEMS_FIELD_NUMBER: _ClassVar[int]
        path: str
        equals: _struct_pb2.Value
        items: EventSource.StateEvent.Items
        def __init__(self, path: _Optional[str] = ..., equals: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., items: _Optional[_Union[EventSource.StateEvent.Items, _Mapping]] = ...) -> None: ...
    class FinishEvent(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    TEXT_RECOGNIZE_FIELD_NUMBER: _ClassVar[int]
    TEXT_DETECT_FIELD_NUMBER: _ClassVar[int]
    ICON_RECOGNIZE_FIELD_NUMBER: _ClassVar[int]
    ICON_DETECT_FIELD_NUMBER: _ClassVar[int]
    ICON_MATCH_FIELD_NUMBER: _ClassVar[int]
    ICON_DETECT_MATCH_FIELD_NUMBER: _ClassVar[int]
    VIEW_HIERARCHY_EVENT_FIELD_NUMBER: _ClassVar[int]
    LOG_EVENT_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_EVENT_FIELD_NUMBER: _ClassVar[int]
    STATE_EVENT_FIELD_NUMBER: _ClassVar[int]
    FINISH_EVENT_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    REPEATABILITY_FIELD_NUMBER: _ClassVar[int]
    text_recognize: EventSource.TextEvent
    text_detect: EventSource.TextEvent
    icon_recognize: EventSource.IconRecogEvent
    icon_detect: EventSource.IconRecogEvent
    icon_match: EventSource.IconMatchEvent
    icon_detect_match: EventSource.IconMatchEvent
    view_hierarchy_event: EventSource.ViewHierarchyEvent
    log_event: EventSource.LogEvent
    response_event: EventSource.ResponseEvent
    state_event: EventSource.StateEvent
    finish_event: EventSource.FinishEvent
    id: int
    repeatability: EventSource.Repeatability
    def __init__(self, text_recognize: _Optional[_Union[EventSource.TextEvent, _Mapping]] = ..., text_detect: _Optional[_Union[EventSource.TextEvent, _Mapping]] = ..., icon_recognize: _Optional[_Union[EventSource.IconRecogEvent, _Mapping]] = ..., icon_detect: _Optional[_Union[EventSource.IconRecogEvent, _Mapping]] = ..., icon_match: _Optional[_Union[EventSource.IconMatchEvent, _Mapping]] = ..., icon_detect_match: _Optional[_Union[EventSource.IconMatchEvent, _Mapping]] = ..., view_hierarchy_event: _Optional[_Union[EventSource.ViewHierarchyEvent, _Mapping]] = ..., log_event: _Optional[_Union[EventSource.LogEvent, _Mapping]] = ..., response_event: _Optional[_Union[EventSource.ResponseEvent, _Mapping]] = ..., state_event: _Optional[_Union[EventSource.StateEvent, _Mapping]] = ..., finish_event: _Optional[_Union[EventSource.FinishEvent, _Mapping]] = ..., id: _Optional[int] = ..., repeatability: _Optional[_Union[EventSource.Repeatability, str]] = ...) -> None: ...

class EventSlot(_message.Message):
    __slots__ = ("type", "id", "events", "prerequisite", "transformation", "repeatability", "cache_until")
    class Type(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        SINGLE: _ClassVar[EventSlot.Type]
        AND: _ClassVar[EventSlot.Type]
        OR: _ClassVar[EventSlot.Type]
    SINGLE: EventSlot.Type
    AND: EventSlot.Type
    OR: EventSlot.Type
    class Repeatability(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        UNLIMITED: _ClassVar[EventSlot.Repeatability]
        LAST: _ClassVar[EventSlot.Repeatability]
        NONE: _ClassVar[EventSlot.Repeatability]
    UNLIMITED: EventSlot.Repeatability
    LAST: EventSlot.Repeatability
    NONE: EventSlot.Repeatability
    class Child(_message.Message):
        __slots__ = ("id", "event")
        ID_FIELD_NUMBER: _ClassVar[int]
        EVENT_FIELD_NUMBER: _ClassVar[int]
        id: int
        event: EventSlot
        def __init__(self, id: _Optional[int] = ..., event: _Optional[_Union[EventSlot, _Mapping]] = ...) -> None: ...
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    PREREQUISITE_FIELD_NUMBER: _ClassVar[int]
    TRANSFORMATION_FIELD_NUMBER: _ClassVar[int]
    REPEATABILITY_FIELD_NUMBER: _ClassVar[int]
    CACHE_UNTIL_FIELD_NUMBER: _ClassVar[int]
    type: EventSlot.Type
    id: int
    events: _containers.RepeatedCompositeFieldContainer[EventSlot.Child]
    prerequisite: _containers.RepeatedScalarFieldContainer[int]
    transformation: _containers.RepeatedScalarFieldContainer[str]
    repeatability: EventSlot.Repeatability
    cache_until: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, type: _Optional[_Union[EventSlot.Type, str]] = ..., id: _Optional[int] = ..., events: _Optional[_Iterable[_Union[EventSlot.Child, _Mapping]]] = ..., prerequisite: _Optional[_Iterable[int]] = ..., transformation: _Optional[_Iterable[str]] = ..., repeatability: _Optional[_Union[EventSlot.Repeatability, str]] = ..., cache_until: _Optional[_Iterable[int]] = ...) -> None: ...

class TaskEventSlots(_message.Message):
    __slots__ = ("score_listener", "reward_listener", "episode_end_listener", "extra_listener", "json_extra_listener", "instruction_listener", "null_listener")
    SCORE_LISTENER_FIELD_NUMBER: _ClassVar[int]
    REWARD_LISTENER_FIELD_NUMBER: _ClassVar[int]
    EPISODE_END_LISTENER_FIELD_NUMBER: _ClassVar[int]
    EXTRA_LISTENER_FIELD_NUMBER: _ClassVar[int]
    JSON_EXTRA_LISTENER_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTION_LISTENER_FIELD_NUMBER: _ClassVar[int]
    NULL_LISTENER_FIELD_NUMBER: _ClassVar[int]
    score_listener: EventSlot
    reward_listener: EventSlot
    episode_end_listener: EventSlot
    extra_listener: EventSlot
    json_extra_listener: EventSlot
    instruction_listener: EventSlot
    null_listener: EventSlot
    def __init__(self, score_listener: _Optional[_Union[EventSlot, _Mapping]] = ..., reward_listener: _Optional[_Union[EventSlot, _Mapping]] = ..., episode_end_listener: _Optional[_Union[EventSlot, _Mapping]] = ..., extra_listener: _Optional[_Union[EventSlot, _Mapping]] = ..., json_extra_listener: _Optional[_Union[EventSlot, _Mapping]] = ..., instruction_listener: _Optional[_Union[EventSlot, _Mapping]] = ..., null_listener: _Optional[_Union[EventSlot, _Mapping]] = ...) -> None: ...

class Tapwright(_message.Message):
    __slots__ = ("language", "apps", "seed", "app", "state", "solution", "replies")
    class Move(_message.Message):
        __slots__ = ("on", "do", "until", "until_gone")
        class Element(_message.Message):
            __slots__ = ("text", "id", "nth", "part", "long_press", "double_tap", "right")
            TEXT_FIELD_NUMBER: _ClassVar[int]
            ID_FIELD_NUMBER: _ClassVar[int]
            NTH_FIELD_NUMBER: _ClassVar[int]
            PART_FIELD_NUMBER: _ClassVar[int]
            LONG_PRESS_FIELD_NUMBER: _ClassVar[int]
            DOUBLE_TAP_FIELD_NUMBER: _ClassVar[int]
            RIGHT_FIELD_NUMBER: _ClassVar[int]
            text: str
            id: str
            nth: int
            part: bool
            long_press: bool
            double_tap: bool
            right: bool
            def __init__(self, text: _Optional[str] = ..., id: _Optional[str] = ..., nth: _Optional[int] = ..., part: bool = ..., long_press: bool = ..., double_tap: bool = ..., right: bool = ...) -> None: ...
        ON_FIELD_NUMBER: _ClassVar[int]
        DO_FIELD_NUMBER: _ClassVar[int]
        UNTIL_FIELD_NUMBER: _ClassVar[int]
        UNTIL_GONE_FIELD_NUMBER: _ClassVar[int]
        on: Tapwright.Move.Element
        do: _struct_pb2.Struct
        until: Tapwright.Move.Element
        until_gone: Tapwright.Move.Element
        def __init__(self, on: _Optional[_Union[Tapwright.Move.Element, _Mapping]] = ..., do: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., until: _Optional[_Union[Tapwright.Move.Element, _Mapping]] = ..., until_gone: _Optional[_Union[Tapwright.Move.Element, _Mapping]] = ...) -> None: ...
    class StateEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: _struct_pb2.Value
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ...) -> None: ...
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    APPS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    APP_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    SOLUTION_FIELD_NUMBER: _ClassVar[int]
    REPLIES_FIELD_NUMBER: _ClassVar[int]
    language: str
    apps: _containers.RepeatedScalarFieldContainer[str]
    seed: int
    app: str
    state: _containers.MessageMap[str, _struct_pb2.Value]
    solution: _containers.RepeatedCompositeFieldContainer[Tapwright.Move]
    replies: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, language: _Optional[str] = ..., apps: _Optional[_Iterable[str]] = ..., seed: _Optional[int] = ..., app: _Optional[str] = ..., state: _Optional[_Mapping[str, _struct_pb2.Value]] = ..., solution: _Optional[_Iterable[_Union[Tapwright.Move, _Mapping]]] = ..., replies: _Optional[_Iterable[str]] = ...) -> None: ...
