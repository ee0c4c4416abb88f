"""The tasks of the built-in phone: some two dozen things that people do, in English and Chinese.

Each names the seeded data of seed 0 and carries a script that does it; tests prove that the script
earns success and that doing nothing does not.
"""

from collections.abc import Sequence

from tapwright.actions import Answer, Finish, OpenApp, PressKey, TypeText
from tapwright.tasks.checks import All, AnswerHas, LogHas, StateHas, StateIs, When
from tapwright.tasks.solution import Do, Move, On
from tapwright.tasks.task import Setup, Task

_FINISH = Do(Finish())
_BACK = Do(PressKey(key="back"))


def tasks() -> Sequence[Task]:
    """All of them, in the order of the home screen's apps; ids are short and stay."""
    return (
        *_settings(),
        *_clock(),
        *_notes(),
        *_contacts(),
        *_mail(),
        *_calendar(),
        *_files(),
        *_shop(),
        *_across_apps(),
    )


def _open(app: str) -> Move:
    return Do(OpenApp(app=app))


def _icon(name: str) -> Move:
    """The app's icon on the home screen."""
    return On(id=f"app_{name}")


def _type(text: str) -> Move:
    return Do(TypeText(text=text))


def _tell(text: str) -> tuple[Move, Move]:
    return Do(Answer(text=text)), _FINISH


def _settings() -> tuple[Task, ...]:
    return (
        Task(
            id="wifi_off",
            instruction="Turn off Wi-Fi.",
            apps=("settings",),
            check=When(StateIs("settings.wifi", False)),
            max_steps=12,
            solution=(
                _icon("settings"),
                On(id="page_network"),
                On(id="wifi"),
                On(id="wifi_switch"),
                _FINISH,
            ),
        ),
        Task(
            id="dark_theme",
            instruction="Switch the phone to the dark theme.",
            apps=("settings",),
            check=When(StateIs("settings.dark_theme", True)),
            max_steps=12,
            solution=(
                _icon("settings"),
                On(id="page_display"),
                On(id="dark_theme_switch"),
                _FINISH,
            ),
        ),
        Task(
            id="ringtone",
            instruction='Set the phone ringtone to "Willow".',
            apps=("settings",),
            check=When(StateIs("settings.ringtone", "Willow")),
            max_steps=16,
            solution=(
                _open("Settings"),
                On(id="page_sound"),
                On(id="ringtone"),
                On("Willow", id="ringtone"),
                _FINISH,
            ),
        ),
        Task(
            id="airplane_mode_off",
            instruction="The phone is in airplane mode. Switch airplane mode off.",
            apps=("settings",),
            check=When(StateIs("settings.airplane_mode", False)),
            setup=Setup(state={"settings.airplane_mode": True}),
            max_steps=12,
            solution=(
                _icon("settings"),
                On(id="page_network"),
                On(id="airplane_mode_switch"),
                _FINISH,
            ),
        ),
        Task(
            id="bluetooth_on_zh",
            instruction="打开手机的蓝牙。",
            apps=("settings",),
            check=When(StateIs("settings.bluetooth", True)),
            max_steps=12,
            language="zh",
            solution=(
                _icon("settings"),
                On(id="page_connected"),
                On(id="bluetooth"),
                On(id="bluetooth_switch"),
                _FINISH,
            ),
        ),
    )


def _clock() -> tuple[Task, ...]:
    return (
        Task(
            id="alarm_new",
            instruction='Set an alarm for 07:00 with the label "Swim".',
            apps=("clock",),
            check=When(StateHas("clock.alarms", {"hour": 7, "minute": 0, "label": "Swim"})),
            max_steps=20,
            solution=(
                _icon("clock"),
                On(id="add_alarm"),
                On(id="alarm_time"),
                On(id="hour_7"),
                On(id="minute_0"),
                On(id="ok"),
                On(id="alarm_label"),
                _type("Swim"),
                On(id="save"),
                _FINISH,
            ),
        ),
        Task(
            id="world_clock_lisbon",
            instruction="Add Lisbon to the world clock.",
            apps=("clock",),
            check=When(StateHas("clock.world_clock", {"city": "Lisbon"})),
            max_steps=16,
            solution=(
                _icon("clock"),
                On(id="tab_world"),
                On(id="add_city"),
                On(id="search"),
                _type("Lisbon"),
                On("Lisbon", id="city_result", contains=True),
                _FINISH,
            ),
        ),
        Task(
            id="timer_start_zh",
            instruction="启动时钟里的第一个计时器。",
            apps=("clock",),
            check=When(LogHas(r"\btimer_started id=1\b")),
            max_steps=12,
            language="zh",
            solution=(_icon("clock"), On(id="tab_timer"), On(id="timer_start"), _FINISH),
        ),
    )


def _notes() -> tuple[Task, ...]:
    return (
        Task(
            id="note_new",
            instruction='Write a note with the title "Parking" and the text "Level 3, row F".',
            apps=("notes",),
            check=When(StateHas("notes.items", {"title": "Parking", "body": "Level 3, row F"})),
            max_steps=16,
            solution=(
                _icon("notes"),
                On(id="add"),
                On(id="new_text"),
                On(id="note_title"),
                _type("Parking"),
                On(id="note_body"),
                _type("Level 3, row F"),
                On(id="save"),
                _FINISH,
            ),
        ),
        Task(
            id="note_pin",
            instruction='Pin the note "Greek salad".',
            apps=("notes",),
            check=When(StateHas("notes.items", {"title": "Greek salad", "pinned": True})),
            max_steps=16,
            solution=(
                _icon("notes"),
                On(id="search"),
                _type("Greek salad"),
                On("Greek salad", id="note", contains=True),
                On(id="pin"),
                _FINISH,
            ),
        ),
    )


def _contacts() -> tuple[Task, ...]:
    return (
        Task(
            id="contact_new",
            instruction='Add a contact named "Rosa Lind" with the mobile number 555-0123.',
            apps=("contacts",),
            check=When(
                StateHas("contacts.items", {"name": "Rosa Lind"}, contains={"phones": "555-0123"})
            ),
            max_steps=16,
            solution=(
                _icon("contacts"),
                On(id="add"),
                On(id="name"),
                _type("Rosa Lind"),
                On(id="mobile"),
                _type("555-0123"),
                On(id="save"),
                _FINISH,
            ),
        ),
        Task(
            id="contact_company",
            instruction="Which company does Diana Tanaka work for? Tell me its name.",
            apps=("contacts",),
            check=When(AnswerHas(("Summit Travel",))),
            max_steps=16,
            solution=(
                _icon("contacts"),
                On(id="search"),
                _type("Diana Tanaka"),
                *_tell("Diana Tanaka works for Summit Travel."),
            ),
        ),
        Task(
            id="contact_favorite_zh",
            instruction="把联系人蔡美玲加入收藏。",
            apps=("contacts",),
            check=When(StateHas("contacts.items", {"name": "蔡美玲", "favourite": True})),
            max_steps=16,
            language="zh",
            solution=(
                _icon("contacts"),
                On(id="search"),
                _type("蔡美玲"),
                On("蔡美玲", id="contact", contains=True),
                On(id="favorite"),
                _FINISH,
            ),
        ),
    )


def _mail() -> tuple[Task, ...]:
    return (
        Task(
            id="mail_send",
            instruction="Send a mail to adam.russell@example.com with the subject "
            '"Lunch" and the text "Friday at noon?".',
            apps=("mail",),
            check=When(
                StateHas(
                    "mail.items",
                    {"folder": "sent", "subject": "Lunch", "body": "Friday at noon?"},
                    contains={"to": "adam.russell@example.com"},
                )
            ),
            max_steps=20,
            solution=(
                _icon("mail"),
                On(id="compose"),
                On(id="to"),
                _type("adam.russell@example.com"),
                On(id="subject"),
                _type("Lunch"),
                On(id="body"),
                _type("Friday at noon?"),
                On(id="send"),
                _FINISH,
            ),
        ),
        Task(
            id="mail_star",
            instruction="Star the mail about the booking T88502.",
            apps=("mail",),
            check=When(
                StateHas("mail.items", {"starred": True}, contains={"subject": "T88502"}),
            ),
            max_steps=16,
            solution=(
                _icon("mail"),
                On(id="search"),
                _type("T88502"),
                On("T88502", id="mail", contains=True),
                On(id="star"),
                _FINISH,
            ),
        ),
        Task(
            id="mail_archive_zh",
            instruction="把收件箱里预订L67261的那封邮件归档。",
            apps=("mail",),
            check=When(
                StateHas("mail.items", {"folder": "archive"}, contains={"subject": "L67261"})
            ),
            max_steps=16,
            language="zh",
            solution=(
                _icon("mail"),
                On("L67261", id="mail", contains=True),
                On(id="archive"),
                _FINISH,
            ),
        ),
    )


def _calendar() -> tuple[Task, ...]:
    return (
        Task(
            id="event_new",
            instruction='Add an event "Dentist check" on March 20, 2026 to the calendar.',
            apps=("calendar",),
            check=When(
                StateHas("calendar.events", {"title": "Dentist check", "date": "2026-03-20"})
            ),
            max_steps=20,
            solution=(
                _icon("calendar"),
                On(id="add_event"),
                On(id="event_title"),
                _type("Dentist check"),
                _BACK,
                On(id="date"),
                On(id="day_2026-03-20"),
                On(id="ok"),
                On(id="save"),
                _FINISH,
            ),
        ),
        Task(
            id="event_place",
            instruction="Where is the quarterly review on March 20, 2026? Tell me the room.",
            apps=("calendar",),
            check=When(AnswerHas(("Blue room",))),
            max_steps=16,
            solution=(
                _icon("calendar"),
                On(id="day_2026-03-20"),
                *_tell("It is in the Blue room."),
            ),
        ),
    )


def _files() -> tuple[Task, ...]:
    return (
        Task(
            id="folder_new",
            instruction='Create a folder called "Taxes" in Documents.',
            apps=("files",),
            check=When(
                StateHas("files.items", {"name": "Taxes", "parent": "Documents", "type": "folder"})
            ),
            max_steps=16,
            solution=(
                _icon("files"),
                On("Documents", id="folder", contains=True),
                On(id="add"),
                On(id="name"),
                _type("Taxes"),
                On(id="ok"),
                _FINISH,
            ),
        ),
        Task(
            id="folder_new_zh",
            instruction="在文件应用里新建一个名为“合同”的文件夹。",
            apps=("files",),
            check=When(StateHas("files.items", {"name": "合同", "type": "folder"})),
            max_steps=16,
            language="zh",
            solution=(
                _icon("files"),
                On(id="add"),
                On(id="name"),
                _type("合同"),
                On(id="ok"),
                _FINISH,
            ),
        ),
    )


def _shop() -> tuple[Task, ...]:
    return (
        Task(
            id="shop_price",
            instruction='What does the "Breakfast Cookbook" cost in the shop?',
            apps=("shop",),
            check=When(AnswerHas(("22.50", "22.5"))),
            max_steps=16,
            solution=(_icon("shop"), On(id="category_books"), *_tell("It costs $22.50.")),
        ),
        Task(
            id="shop_cart",
            instruction='Put two copies of the "Breakfast Cookbook" in Navy into the cart.',
            apps=("shop",),
            check=When(StateHas("shop.cart", {"quantity": 2, "color": "navy"})),
            max_steps=20,
            solution=(
                _icon("shop"),
                On(id="category_books"),
                On("Breakfast Cookbook", id="product", contains=True),
                On(id="color_navy"),
                On(id="quantity_plus"),
                On(id="add_to_cart"),
                _FINISH,
            ),
        ),
        Task(
            id="shop_order",
            instruction="Order what is in the shopping cart: express delivery, pay cash.",
            apps=("shop",),
            check=When(
                All(
                    (
                        StateIs("shop.cart", []),
                        LogHas(r"\border_placed "),
                        StateHas(
                            "shop.orders", {"delivery": "express", "payment": "cash", "id": 1025}
                        ),
                    )
                )
            ),
            max_steps=20,
            solution=(
                _icon("shop"),
                On(id="cart"),
                On(id="checkout"),
                On(id="delivery_express"),
                On(id="payment_cash"),
                On(id="place_order"),
                _FINISH,
            ),
        ),
        Task(
            id="shop_wishlist_zh",
            instruction="在商店的厨房用品里，把防滑煎锅加入心愿单。",
            apps=("shop",),
            check=When(LogHas(r"\bwishlist_added product=363\b")),
            max_steps=16,
            language="zh",
            solution=(
                _icon("shop"),
                On(id="category_kitchen"),
                On("防滑煎锅", id="product", contains=True),
                On(id="wish"),
                _FINISH,
            ),
        ),
    )


def _across_apps() -> tuple[Task, ...]:
    return (
        Task(
            id="contact_to_note",
            instruction="Look up the mobile number of Adam Russell in the contacts and write it "
            'into a new note with the title "Adam".',
            apps=("contacts", "notes"),
            check=When(
                StateHas("notes.items", {"title": "Adam"}, contains={"body": "(614) 555-0175"})
            ),
            max_steps=24,
            solution=(
                _icon("contacts"),
                On("Adam Russell", id="contact", contains=True),
                Do(PressKey(key="home")),
                _icon("notes"),
                On(id="add"),
                On(id="new_text"),
                On(id="note_title"),
                _type("Adam"),
                On(id="note_body"),
                _type("(614) 555-0175"),
                On(id="save"),
                _FINISH,
            ),
        ),
    )
