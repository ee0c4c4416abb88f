from pathlib import Path

from tapwright.files.links import describe_link_out, stays_within


def test_links_stay_in_a_directory_that_may_be_a_link_itself(tmp_path: Path) -> None:
    (tmp_path / "real/inner").mkdir(parents=True)
    (tmp_path / "real/one").write_text("1")
    (tmp_path / "real/inner/two").symlink_to("../one")
    (tmp_path / "real/loop").symlink_to("loop")
    (tmp_path / "real/all").symlink_to(".")
    given = tmp_path / "given"
    given.symlink_to("real")
    assert describe_link_out(given, given) == ""
    (tmp_path / "secret").write_text("s")
    (tmp_path / "real/inner/three").symlink_to("../../secret")
    assert describe_link_out(given, given) == (
        f"{given}/inner/three: a link that leads out of {given}, to {tmp_path}/secret"
    )
    assert describe_link_out(given / "inner", given)
    assert not stays_within(given / "inner/three", given)


def test_the_links_of_a_hubs_cache_lead_to_its_blobs(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs/1").write_text("1")
    root = tmp_path / "snapshots/c0ffee"
    root.mkdir(parents=True)
    (root / "rows.json").symlink_to("../../blobs/1")
    assert describe_link_out(root, root) == ""
    (root / "more.json").symlink_to("../../../elsewhere")
    assert "more.json" in describe_link_out(root, root)
