import time

from tapwright.benchmarks.elements import list_elements, visible_texts
from tapwright.core.geometry import Size
from tapwright.core.observation import UiTree


def test_thousands_of_nodes_take_time_in_proportion() -> None:
    count = 4000
    rows = "".join(
        f'<node class="android.widget.TextView" text="row {number}" clickable="true" '
        f'bounds="[0,{number}][1000,{number + 1}]"/>'
        for number in range(count)
    )
    page = f'<node class="F" bounds="[0,0][1000,{count}]">{rows}</node>'
    tree = UiTree(f"<hierarchy>{page}</hierarchy>", Size(1000, count))
    began = time.process_time()
    assert len(list_elements(tree)) == count
    assert len(visible_texts(tree)) > 0.9 * count
    assert time.process_time() - began < 5


def test_what_lies_under_another_thing_is_not_alone() -> None:
    tree = UiTree(
        '<node bounds="[0,0][100,100]">'
        '<node text="Save" clickable="true" bounds="[10,10][60,30]"/>'
        '<node text="Sheet" clickable="true" bounds="[20,15][50,25]"/>'
        '<node clickable="true" bounds="[0,50][100,90]"><node text="Row" bounds="[0,50][50,90]"/>'
        '<node text="Call" clickable="true" bounds="[70,60][90,80]"/></node></node>',
        Size(100, 100),
    )
    assert {found.label: found.alone for found in list_elements(tree)} == {
        "Save": False,  # covered
        "Sheet": True,
        "Row": False,  # has another in it
        "Call": True,
    }
