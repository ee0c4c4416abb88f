import pytest

from tapwright.core import actions
from tapwright.core.geometry import Point, to_pixel
from tapwright.devices.web.device import WebDevice
from tapwright.devices.web.network import Network
from tapwright.errors import UnsupportedActionError
from tapwright.workflows.devices import open_device
from tapwright.workflows.host import HostConfig
from tests.devices.web.conftest import HEAD, Show, Site
from tests.devices.web.looking import at, nodes, tap, texts, wait_for_text, wait_until


@pytest.mark.slow
def test_an_observation_has_the_address_and_the_tabs(show: Show, site: Site) -> None:
    device = show("<title>tea</title><button>Brew</button>")
    seen = wait_until(device, lambda seen: seen.tabs[0].title == "tea")
    assert seen.url == f"{site.url}/"
    assert [(tab.url, tab.active) for tab in seen.tabs] == [(seen.url, True)]
    assert "Brew" in texts(seen)
    assert seen.screenshot.size == seen.size == device.size


@pytest.mark.slow
def test_addresses_are_gone_to_and_back_from(show: Show, site: Site) -> None:
    site.pages["/two"] = "<p>second page"
    device = show("<p>first page")
    device.perform(actions.Goto(url=f"{site.url}/two"))
    wait_until(device, lambda seen: "second page" in texts(seen))
    device.perform(actions.PressKey(key="back"))
    wait_until(device, lambda seen: "first page" in texts(seen))
    device.perform(actions.PressKey(key="forward"))
    wait_until(device, lambda seen: "second page" in texts(seen))


@pytest.mark.slow
def test_tabs_open_switch_and_close(show: Show, site: Site) -> None:
    site.pages["/two"] = "<p>second page"
    device = show("<p>first page")
    device.perform(actions.NewTab(url=f"{site.url}/two"))
    seen = wait_until(device, lambda seen: "second page" in texts(seen))
    assert [tab.active for tab in seen.tabs] == [False, True]
    device.perform(actions.SwitchTab(tab=0))
    wait_until(device, lambda seen: "first page" in texts(seen))
    device.perform(actions.CloseTab())
    seen = wait_until(device, lambda seen: "second page" in texts(seen))
    assert len(seen.tabs) == 1
    with pytest.raises(UnsupportedActionError, match="last tab"):
        device.perform(actions.CloseTab())
    with pytest.raises(UnsupportedActionError, match="no tab 7"):
        device.perform(actions.SwitchTab(tab=7))


@pytest.mark.slow
def test_a_popup_comes_to_the_front_and_goes_when_it_closes_itself(show: Show, site: Site) -> None:
    site.pages["/pop"] = "<button onclick='window.close()'>Shut</button>"
    device = show("<button onclick=\"window.open('/pop')\">Pop</button>")
    tap(device, "Pop")
    wait_until(device, lambda seen: len(seen.tabs) == 2 and seen.tabs[1].active)
    tap(device, "Shut")
    wait_until(device, lambda seen: len(seen.tabs) == 1 and "Pop" in texts(seen))


@pytest.mark.slow
def test_a_dialog_neither_hangs_a_step_nor_hides(show: Show) -> None:
    device = show(
        "<button onclick=\"this.textContent = confirm('Sure?') + prompt('Name?', 'a')\">"
        "Ask</button>"
    )
    tap(device, "Ask")
    seen = device.observe()
    assert any("Sure?" in text for text in texts(seen))
    assert {"OK", "Cancel"} <= set(texts(seen))
    tap(device, "Cancel")
    wait_until(device, lambda seen: any("Name?" in text for text in texts(seen)))
    device.perform(actions.TypeText(text="da 茶"))
    assert device.takes_text()
    device.perform(actions.PressKey(key="enter"))
    wait_until(device, lambda seen: "falseda 茶" in texts(seen))


@pytest.mark.slow
def test_what_a_page_makes_draggable_is_dropped(show: Show) -> None:
    device = show(
        "<div id=a draggable=true style='width:80px;height:80px;background:red'>Cup</div>"
        "<div style='position:absolute;left:400px;top:300px;width:200px;height:100px' "
        "ondragover='event.preventDefault()' ondrop=\"this.textContent = 'Dropped'\">Shelf</div>"
    )
    device.perform(actions.Drag(start=at(device, "Cup"), end=at(device, "Shelf")))
    wait_until(device, lambda seen: "Dropped" in texts(seen))


@pytest.mark.slow
def test_the_mouse_hovers_clicks_and_scrolls(show: Show) -> None:
    device = show(
        "<button style='margin: 100px' onmouseenter=\"this.textContent = 'Over'\" "
        "oncontextmenu=\"this.textContent = 'Menu'\">Under</button>"
        "<p style='margin-top: 2000px'>Bottom"
    )
    place = at(device, "Under")
    device.perform(actions.Hover(at=place))
    wait_until(device, lambda seen: "Over" in texts(seen))
    device.perform(actions.Tap(at=place, button="right"))
    wait_until(device, lambda seen: "Menu" in texts(seen))
    device.perform(actions.Scroll(at=Point(0.5, 0.5), dy=5.0))
    wait_until(device, lambda seen: "Bottom" in texts(seen))


@pytest.mark.parametrize("shape", ["1280x800", "phone"])
@pytest.mark.slow_but_one
def test_the_picture_of_a_scrolled_page_is_of_what_the_tree_has(site: Site, shape: str) -> None:
    bands = "".join(
        f"<p style='margin:0;height:400px;background:rgb({20 * n},0,{255 - 20 * n})'>{n}</p>"
        for n in range(12)
    )
    site.pages["/"] = f"{HEAD}<meta name=viewport content='width=device-width'>{bands}"
    with WebDevice.named(f"{site.url}/,{shape}") as device:
        device.reset()
        for _ in range(2):
            device.perform(actions.Scroll(at=Point(0.5, 0.5), dy=1.3))
            seen = device.observe()
            picture = seen.screenshot.image().convert("RGB")
            assert picture.size == (seen.size.width, seen.size.height)
            assert "0" not in texts(seen)
            for node in nodes(seen):
                if node.text and node.box is not None:
                    x, y = to_pixel(node.box.center, seen.size)
                    band = int(node.text)
                    assert picture.getpixel((x, y)) == (20 * band, 0, 255 - 20 * band)


@pytest.mark.slow
def test_the_options_of_a_list_are_seen_and_chosen(show: Show) -> None:
    device = show("<select><option>Green<option>Black</select>")
    tap(device, "Green")
    tap(device, "Black")
    wait_until(device, lambda seen: "Black" in texts(seen) and "Green" not in texts(seen))


@pytest.mark.slow
def test_what_lies_in_shadow_roots_is_seen_and_clicked(show: Show) -> None:
    device = show(
        "<p id=open></p><p id=closed></p><script>for (const mode of ['open', 'closed']) {"
        "const root = document.getElementById(mode).attachShadow({mode});"
        "root.innerHTML = `<button>In ${mode}</button>`;"
        "root.firstChild.onclick = event => event.target.textContent = `Was ${mode}`; }</script>"
    )
    for mode in ("open", "closed"):
        tap(device, f"In {mode}")
        wait_for_text(device, f"Was {mode}")


@pytest.mark.slow
def test_chords_copy_from_one_field_and_paste_into_another(show: Show) -> None:
    device = show(
        "<input id=a value='tea 茶'><input id=b oninput='o.textContent = `has ${value}`'>"
        "<button onclick='b.focus()'>Next</button><p id=o>-"
    )
    tap(device, "tea 茶")
    for letter in "ac":
        device.perform(actions.Hotkey(keys=("ctrl", letter)))
    tap(device, "Next")
    device.perform(actions.Hotkey(keys=("ctrl", "v")))
    wait_for_text(device, "has tea 茶")
    device.perform(actions.Hotkey(keys=("ctrl", "shift", "left")))
    device.perform(actions.Hotkey(keys=("ctrl", "x")))
    wait_for_text(device, "has tea")


@pytest.mark.slow
def test_clicks_are_told_apart_by_button_count_and_length(show: Show) -> None:
    device = show(
        "<button onauxclick='hear(`button ${event.button}`)' ondblclick='hear(`double`)' "
        "onmousedown='down = Date.now()' onclick='event.detail == 3 ? hear(`triple`) : "
        "Date.now() - down > 400 && hear(`long`)'>Press</button><p id=o>-"
        "<script>let down = 0; const hear = what => o.textContent = what;</script>"
    )
    place = at(device, "Press")
    for action, heard in (
        (actions.Tap(at=place, button="middle"), "button 1"),
        (actions.Tap(at=place, button="right"), "button 2"),
        (actions.DoubleTap(at=place), "double"),
        (actions.TripleTap(at=place), "triple"),
        (actions.LongPress(at=place, duration_s=0.5), "long"),
    ):
        device.perform(action)
        wait_for_text(device, heard)


@pytest.mark.slow
def test_the_wheel_turns_what_is_under_the_pointer_to_either_side(show: Show) -> None:
    device = show(
        "<div style='width:300px;height:200px;overflow:auto' onscroll='o.textContent ="
        " `${scrollLeft} ${scrollTop}`'><p style='width:2000px;height:2000px'>Wide</div><p id=o>-"
    )
    over = Point(0.1, 0.1)
    device.perform(actions.Scroll(at=over, dx=0.1, dy=0.2))
    wait_for_text(device, "128 160")
    device.perform(actions.Scroll(at=over, dx=-0.1, dy=-0.1))
    wait_for_text(device, "0 80")


@pytest.mark.slow
def test_frames_of_other_sites_are_in_the_tree(show: Show, site: Site) -> None:
    site.pages["/frame"] = "<button onclick=\"this.textContent = 'Inside'\">Within</button>"
    elsewhere = site.url.replace("127.0.0.1", "localhost")
    device = show(f"<iframe src='{elsewhere}/frame'></iframe>", Network.parse("local"))
    tap(device, "Within")
    wait_until(device, lambda seen: "Inside" in texts(seen))


@pytest.mark.slow
def test_no_file_is_downloaded_where_that_is_not_allowed(site: Site) -> None:
    site.pages["/file/tea.txt"] = "green"
    site.pages["/"] = "<a href='/file/tea.txt'>Fetch</a>"
    with open_device(f"web:{site.url}/", HostConfig(allow="addresses")) as device:
        assert isinstance(device, WebDevice)
        tap(device, "Fetch")
        wait_until(device, lambda _: any("cancelled: tea.txt" in line for line in device.log()))
        assert device.state("files") == []


@pytest.mark.slow
def test_a_downloaded_file_can_be_read_and_given_to_a_page(show: Show, site: Site) -> None:
    site.pages["/file/tea.txt"] = "green"
    device = show(
        "<a href='/file/tea.txt'>Fetch</a><p><button onclick='f.click()'>Choose</button>"
        "<input id=f type=file hidden onchange='f.files[0].text().then(t => o.textContent = t)'>"
        "<p id=o>-"
    )
    tap(device, "Fetch")
    wait_until(device, lambda _: device.state("files") == ["tea.txt"])
    assert device.state("files.tea.txt") == "green"
    tap(device, "Choose")
    wait_until(device, lambda seen: any("Choose a file" in text for text in texts(seen)))
    device.perform(actions.TypeText(text="tea.txt"))
    tap(device, "OK")
    wait_until(device, lambda seen: "green" in texts(seen))
