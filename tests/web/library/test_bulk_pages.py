"""Changes of many episodes in a real browser: asked, followed, undone after a reload."""

import zipfile

import pytest
from playwright.sync_api import Locator, Page, expect

from tapwright.store.ids import directory_name
from tapwright.store.recording_reviews import current_recording_review, read_recording_reviews
from tests.web.library.world import STRANGE, World


def ask(page: Page, button: str, title: str) -> Locator:
    page.get_by_role("button", name=button, exact=True).click()
    dialog = page.get_by_role("dialog", name=title)
    expect(dialog).to_be_visible()
    return dialog


def choose_all(page: Page) -> None:
    page.get_by_role("checkbox", name="Choose all of this page").check()


def open_changes(page: Page) -> Locator:
    page.get_by_text("Changes", exact=True).click()
    return page.locator("details.changes")


def review(world: World, id_: str) -> str:
    directory = world.store.root / directory_name(id_)
    found = current_recording_review(
        read_recording_reviews(directory), world.store.history(id_).current
    )
    return "open" if found is None else found.state


@pytest.mark.slow
def test_steps_of_many_are_deleted_and_put_back_after_a_reload(
    page: Page, own: tuple[World, str]
) -> None:
    world, address = own
    page.goto(f"{address}/episodes?app=org.example.notes&sort=-steps")
    choose_all(page)
    dialog = ask(page, "Edit…", "Edit 4 episodes")
    dialog.get_by_label("What is changed").select_option("steps")
    steps = dialog.get_by_role("textbox", name="Delete steps")
    steps.fill("6-4")
    expect(dialog.get_by_text("Expected numbers from 1")).to_be_visible()
    expect(dialog.get_by_role("button", name="Edit")).to_be_disabled()
    steps.fill("4-6")
    dialog.get_by_role("button", name="Edit").click()
    expect(page.get_by_text("1 episode was edited.")).to_be_visible()
    expect(page.get_by_text("3 episodes were left as they are.")).to_be_visible()
    assert len(world.store.read("long").steps) == 3
    page.reload()
    menu = open_changes(page)
    expect(menu.get_by_text("Edit of 1 episode")).to_be_visible()
    menu.get_by_role("button", name="Undo").click()
    expect(menu.get_by_text("undone by local")).to_be_visible()
    assert len(world.store.read("long").steps) == 6


@pytest.mark.slow
def test_chosen_episodes_are_written_as_a_file_to_keep(page: Page, own: tuple[World, str]) -> None:
    _, address = own
    page.goto(f"{address}/episodes?app=org.example.notes")
    choose_all(page)
    dialog = ask(page, "Export…", "Export 4 episodes")
    dialog.get_by_label("Format").select_option("llamafactory")
    expect(dialog.get_by_label("Convention of the training texts")).to_have_value("json")
    dialog.get_by_role("button", name="Export").click()
    expect(page.get_by_text("4 episodes are in episodes-llamafactory.zip.")).to_be_visible()
    with page.expect_download() as waited:
        page.get_by_role("button", name="Download", exact=True).click()
    with zipfile.ZipFile(waited.value.path()) as file:
        assert "sft/train.json" in file.namelist()


@pytest.mark.slow
def test_the_recordings_of_a_filter_are_rejected_together_and_taken_back(
    page: Page, own: tuple[World, str]
) -> None:
    world, address = own
    page.goto(address)
    page.get_by_role("link", name="7 recordings to review").click()
    expect(page.get_by_text("7 recordings shown")).to_be_visible()
    page.goto(f"{address}/review/recordings?agent=human/anna")
    dialog = ask(page, "Review all shown…", "Review 1 recording")
    dialog.get_by_role("radio", name="Ask again").check()
    expect(dialog.get_by_role("button", name="Review")).to_be_disabled()
    dialog.get_by_role("radio", name="Reject").check()
    dialog.get_by_label("Reason").fill("Wrong app.")
    dialog.get_by_role("button", name="Review").click()
    expect(page.get_by_text("1 recording was reviewed.")).to_be_visible()
    expect(page.get_by_text("No recording matches the filter.")).to_be_visible()
    assert review(world, STRANGE) == "reject"
    page.goto(f"{address}/episodes?review=reject")
    page.get_by_role("link", name="onerror").click()
    expect(page.get_by_role("region", name="Review of the recording")).to_contain_text("Wrong app.")
    page.goto(f"{address}/review/recordings?agent=human/anna")
    menu = open_changes(page)
    menu.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("1 recording shown")).to_be_visible()
    assert review(world, STRANGE) == "open"


@pytest.mark.slow
def test_steps_that_were_accepted_together_are_taken_back_after_a_reload(
    page: Page, own: tuple[World, str]
) -> None:
    _, address = own
    page.goto(f"{address}/review")
    ask(page, "Accept all shown", "Accept 5 steps?").get_by_role("button", name="Accept 5").click()
    expect(page.get_by_text("5 of 6 reviewed", exact=False)).to_be_visible()
    page.goto(f"{address}/review?show=any")
    menu = open_changes(page)
    expect(menu.get_by_text("5 steps reviewed together")).to_be_visible()
    menu.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("0 of 6 reviewed", exact=False)).to_be_visible()
