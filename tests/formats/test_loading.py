"""Steps as trainers load them: the order and its laws, out of a store, a pack and a URL."""

import asyncio
import importlib
import pickle
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.errors import CorruptEpisodeError, NothingFoundError, UsageError
from tapwright.files.errors import RemoteFileError
from tapwright.formats.errors import BrokenPackError
from tapwright.formats.loading.episodes import Episodes, load
from tapwright.formats.loading.order import MixedOrder, OrderState, SampleOrder
from tapwright.formats.loading.rows import Unit, list_parts
from tapwright.formats.loading.steps import RecordedStep, StepSource, StoreSteps
from tapwright.formats.pack.pack import pack_store
from tapwright.formats.pack.reader import PackedSteps
from tapwright.store.errors import EpisodeMissingError
from tapwright.store.records import EpisodeWarning
from tapwright.store.store import EpisodeStore
from tests.store.episodes import episode as small_episode
from tests.store.episodes import step as small_step

SIZE = Size(40, 80)
LENGTHS = (3, 0, 20, 1)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of episodes of some lengths, and its pack beside it."""
    root = tmp_path_factory.mktemp("loading")
    store, number = EpisodeStore(root / "store"), 0
    for episode, length in enumerate(LENGTHS):
        steps = []
        for _ in range(length):
            seen = Observation(Screenshot(painted_scene(number, SIZE).picture), SIZE)
            steps.append(Step(seen, Decision(Tap(at=Point(0.5, number / 100)))))
            number += 1
        outcome: EpisodeOutcome = "failure" if episode == 3 else "success"
        store.write(
            Episode(f"e{episode}", f"t{episode}", "Do it", tuple(steps), outcome=outcome,
                    created=f"2026-01-01T00:00:0{episode}")
        )  # fmt: skip

    async def pack() -> None:
        async for _ in pack_store(store, root / "pack"):
            pass

    asyncio.run(pack())
    return root


@pytest.fixture(params=["store", "pack", "url"])
def source(root: Path, request: pytest.FixtureRequest) -> StepSource:
    kind: str = request.param
    match kind:
        case "store":
            return StoreSteps(EpisodeStore(root / "store"))
        case "pack":
            return PackedSteps(root / "pack")
        case _:
            return PackedSteps((root / "pack").as_uri())


def test_every_source_reads_the_steps_that_were_recorded(root: Path, source: StepSource) -> None:
    recorded = [
        RecordedStep(
            episode.id, episode.task_id, "Do it", episode.outcome, number, step,
            episode.steps[:number],
        )
        for episode in EpisodeStore(root / "store")
        for number, step in enumerate(episode.steps)
    ]  # fmt: skip
    assert [source.read(index) for index in range(len(source))] == recorded
    for index in (17, 2):
        picture = source.read(index).step.observation.screenshot
        assert picture.data == recorded[index].step.observation.screenshot.data
    assert not source.blocks or sum(source.blocks) == len(source)


def test_a_source_may_be_sent_to_another_process(source: StepSource) -> None:
    other = pickle.loads(pickle.dumps(source))
    assert other.read(5) == source.read(5)
    with pytest.raises(IndexError):
        source.read(len(source))


def test_a_store_is_narrowed_to_outcomes(root: Path) -> None:
    store = EpisodeStore(root / "store")
    assert len(StoreSteps(store, outcomes=["success"])) == 23
    with pytest.raises(NothingFoundError):
        StoreSteps(store, outcomes=["infeasible"])


def test_what_is_no_pack_is_refused_here_and_at_a_url(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path.as_uri(), "nosuch://place"):
        with pytest.raises((BrokenPackError, RemoteFileError)):
            PackedSteps(place)


def test_a_pack_with_a_broken_line_is_told_with_its_row(root: Path, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    for table in ("episodes", "steps"):
        (tmp_path / table).mkdir()
        found = pq.read_table(root / "pack" / table)
        rows = found.to_pylist()
        rows[0]["line" if table == "steps" else "header"] = "{}"
        pq.write_table(found.from_pylist(rows, found.schema), tmp_path / table / "00000.parquet")
    with pytest.raises(BrokenPackError, match="row 0: not a line of an episode"):
        PackedSteps(tmp_path).read(0)


ORDERS = st.builds(
    lambda blocks, whole, seed, shuffle, window: SampleOrder(
        sum(blocks), seed=seed, shuffle=shuffle, blocks=() if whole else blocks, window=window
    ),
    st.lists(st.integers(1, 9), max_size=12),
    st.booleans(),
    st.integers(0, 5),
    st.booleans(),
    st.integers(1, 20),
)


@given(order=ORDERS, epoch=st.integers(0, 3))
def test_an_epoch_has_each_sample_once_and_the_same_order_each_time(
    order: SampleOrder, epoch: int
) -> None:
    once = order.of_epoch(epoch).tolist()
    assert sorted(once) == list(range(order.count))
    assert order.of_epoch(epoch).tolist() == once
    if not order.shuffle:
        assert once == list(range(order.count))


@given(order=ORDERS, ranks=st.integers(1, 5))
def test_ranks_share_an_epoch_evenly(order: SampleOrder, ranks: int) -> None:
    parts = [order.of_rank(0, rank, ranks).tolist() for rank in range(ranks)]
    assert len({len(part) for part in parts}) == 1
    dealt = [one for part in parts for one in part]
    assert set(dealt) == set(range(order.count))
    assert len(dealt) - order.count < max(ranks, 1) or not order.count


@given(
    order=ORDERS,
    ranks=st.integers(1, 3),
    workers=st.integers(1, 4),
    batch_size=st.integers(1, 5),
    done=st.integers(0, 60),
)
def test_batches_do_not_depend_on_the_workers_and_go_on_where_they_stopped(
    order: SampleOrder, ranks: int, workers: int, batch_size: int, done: int
) -> None:
    rank = ranks - 1
    whole = order.of_rank(1, rank, ranks).tolist()
    state = OrderState(1, min(done, len(whole)))
    streams = [
        list(order.of_worker(state, rank=rank, ranks=ranks, worker=worker, workers=workers,
                             batch_size=batch_size))
        for worker in range(workers)
    ]  # fmt: skip
    batches: list[list[int]] = []
    while any(streams):  # as torch's DataLoader asks for them: a batch of each worker in turn
        for number, stream in enumerate(streams):
            if stream:
                batches.append([index for _, index in stream[:batch_size]])
                streams[number] = stream[batch_size:]
    rest = whole[state.place :]
    assert batches == [rest[at : at + batch_size] for at in range(0, len(rest), batch_size)]


def test_samples_of_a_block_stay_near_each_other() -> None:
    order = SampleOrder(1600, blocks=[16] * 100, window=64).of_epoch(0)
    for start in range(0, 1600, 64):
        assert len({int(one) // 16 for one in order[start : start + 64]}) == 4


@given(
    counts=st.lists(st.integers(1, 30), min_size=1, max_size=3),
    weight=st.sampled_from([0.25, 0.5, 1.0, 2.0]),
    seed=st.integers(0, 9),
)
def test_a_mixed_epoch_has_each_set_as_often_as_its_weight_and_none_more_than_another(
    counts: list[int], weight: float, seed: int
) -> None:
    parts = [SampleOrder(4 * count, seed) for count in counts]
    order = MixedOrder.of(parts, [weight, *[1.0] * (len(parts) - 1)], seed)
    epochs = [list(order.of_epoch(epoch)) for epoch in range(4)]
    assert all(len(one) == order.count for one in epochs)
    drawn = Counter(index for one in epochs for index in one)
    first = 4 * counts[0]
    assert {drawn[index] for index in range(first)} == {int(4 * weight)}
    assert {drawn[index] for index in range(first, 4 * sum(counts))} <= {4}


def test_weights_that_cannot_be_are_refused(root: Path) -> None:
    for weights in ([0.0, 1.0], [-1.0, 1.0], [float("nan"), 1.0]):
        with pytest.raises(UsageError, match="expected numbers above 0"):
            MixedOrder.of([SampleOrder(3)] * 2, weights, 0)


def test_seeds_and_epochs_have_orders_of_their_own() -> None:
    orders = {
        tuple(SampleOrder(50, seed=seed).of_epoch(epoch)) for seed in (0, 1) for epoch in (0, 1)
    }
    assert len(orders) == 4


def test_a_state_comes_back_and_is_refused_by_another_order() -> None:
    order = SampleOrder(10, seed=3)
    assert order.from_dict(order.to_dict(OrderState(2, 7))) == OrderState(2, 7)
    for other in (SampleOrder(11, seed=3), SampleOrder(10), SampleOrder(10, seed=3, shuffle=False)):
        with pytest.raises(UsageError, match="this data set has"):
            other.from_dict(order.to_dict(OrderState(2, 7)))
    with pytest.raises(UsageError, match="expected numbers"):
        order.from_dict({**order.to_dict(OrderState()), "epoch": "2"})


def test_orders_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="blocks of 3"):
        SampleOrder(4, blocks=[1, 2])
    with pytest.raises(UsageError, match="window 0"):
        SampleOrder(4, window=0)
    with pytest.raises(UsageError, match="rank 2 of 2"):
        SampleOrder(4).of_rank(0, 2, 2)
    with pytest.raises(UsageError, match="worker 1 of 1"):
        next(SampleOrder(4).of_worker(OrderState(), worker=1))


def name(step: RecordedStep) -> str:
    """What a step is known by."""
    assert step.step.observation.screenshot.image().size == (40, 80)
    return f"{step.episode_id}/{step.number}"


def torch_sets() -> Any:
    """The module that needs torch."""
    pytest.importorskip("torch")
    return importlib.import_module("tapwright.formats.loading.torch_datasets")


def loader(dataset: Any, **options: Any) -> Any:
    """Torch's loader, whose batches are lists."""
    loaders: Any = pytest.importorskip("torch.utils.data")
    return loaders.DataLoader(dataset, collate_fn=list, **options)


def batches(stream: Any, workers: int) -> list[list[str]]:
    return list(loader(stream, batch_size=5, num_workers=workers))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of fork, since Python 3.12
def test_workers_make_the_batches_that_one_process_makes(source: StepSource) -> None:
    alone = batches(torch_sets().StepStream(source, name, batch_size=5, seed=1), 0)
    assert sorted(one for batch in alone for one in batch) == sorted(
        name(source.read(index)) for index in range(len(source))
    )
    assert batches(torch_sets().StepStream(source, name, batch_size=5, seed=1), 2) == alone


def test_a_stream_goes_on_after_the_samples_that_were_trained_on(root: Path) -> None:
    source = StoreSteps(EpisodeStore(root / "store"))
    stream = torch_sets().StepStream(source, name, batch_size=5, seed=1)
    whole = batches(stream, 0)
    saved = stream.state_dict()
    assert (saved["epoch"], saved["place"]) == (1, 0)
    stream = torch_sets().StepStream(source, name, batch_size=5, seed=1)
    saved = stream.state_dict(samples=10)
    resumed = torch_sets().StepStream(source, name, batch_size=5, seed=1)
    resumed.load_state_dict(saved)
    resumed.set_epoch(0)
    assert len(resumed) == len(source) - 10
    assert batches(resumed, 0) == whole[2:]
    assert batches(resumed, 0) != whole  # another epoch, another order
    resumed.set_epoch(0)
    assert batches(resumed, 0) == whole


def test_a_sampler_deals_steps_by_number_to_ranks(root: Path) -> None:
    dataset = torch_sets().StepDataset(PackedSteps(root / "pack"), name)
    order = SampleOrder(len(dataset), seed=2)
    found = []
    for rank in (0, 1):
        sampler = torch_sets().StepSampler(order, rank=rank, ranks=2)
        drawn = list(loader(dataset, batch_size=4, sampler=sampler))
        assert len(drawn) == 3
        found += [one for batch in drawn for one in batch]
    assert sorted(found) == sorted(dataset[index] for index in range(len(dataset)))


def test_a_stream_without_a_conversion_yields_recorded_steps(root: Path) -> None:
    source = PackedSteps(root / "pack")
    (first, *_) = torch_sets().StepStream(source, batch_size=1, shuffle=False)
    assert first == source.read(0)


@pytest.fixture(params=["store", "pack", "url"])
def loaded(root: Path, request: pytest.FixtureRequest) -> Episodes:
    pack, kind = root / "pack", str(request.param)
    return load({"store": str(root / "store"), "pack": str(pack), "url": pack.as_uri()}[kind])


def test_episodes_are_the_same_wherever_they_lie(loaded: Episodes, root: Path) -> None:
    stored = EpisodeStore(root / "store")
    assert loaded.ids == ("e0", "e1", "e2", "e3")
    for episode, id_ in zip(loaded, loaded.ids, strict=True):
        expected = stored.read(id_)
        assert [step.decision for step in episode.steps] == [s.decision for s in expected.steps]
        for step, one in zip(episode.steps, expected.steps, strict=True):
            assert step.observation.screenshot.image() == one.observation.screenshot.image()
        assert (episode.outcome, episode.created) == (expected.outcome, expected.created)
    assert loaded["e2"].id == loaded[-2].id == loaded[2:][0].id == "e2"
    with pytest.raises(EpisodeMissingError):
        loaded["none"]


def test_steps_become_rows_of_data_frames(loaded: Episodes) -> None:
    frame, table = loaded.to_pandas(), loaded.to_polars()
    assert len(frame) == table.height == sum(LENGTHS)
    assert list(frame.columns) == table.columns == list(next(loaded.rows()))
    assert list(frame["y"][:3]) == table["y"].to_list()[:3] == [0.0, 0.01, 0.02]
    assert set(frame["action_type"]) == {"tap"}
    assert set(frame["evidence"]) == {""}


def test_packed_episodes_have_their_trees_and_all_their_screens(tmp_path: Path) -> None:
    def seen(number: int) -> Observation:
        scene = painted_scene(number, SIZE)
        tree = UiTree(f'<hierarchy><node text="{number}" bounds="[0,0][9,9]"/></hierarchy>', SIZE)
        return Observation(Screenshot(scene.picture), SIZE, ui_tree=tree)

    taps = Decision([Tap(at=Point(0.1, 0.2)), Tap(at=Point(0.3, 0.4))], reasoning="both")
    step = Step(seen(1), taps, between=(seen(2),), after=seen(3))
    EpisodeStore(tmp_path / "store").write(Episode("a", "t", "Tap", (step,), final=seen(4)))

    async def pack() -> None:
        async for _ in pack_store(EpisodeStore(tmp_path / "store"), tmp_path / "pack"):
            pass

    asyncio.run(pack())
    episode = load(tmp_path / "pack")[0]
    assert episode.final is not None
    screens = [*episode.steps[0].screens, episode.final]
    texts = [one.ui_tree.nodes[0].text for one in screens if one.ui_tree]
    assert texts == ["1", "2", "3", "4"]
    assert len({one.screenshot.image().tobytes() for one in screens}) == 4


def test_a_pack_whose_tables_differ_in_their_order_gives_no_episode_without_steps(
    root: Path, tmp_path: Path
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pack = tmp_path / "pack"
    shutil.copytree(root / "pack", pack)
    for path in (pack / "steps").iterdir():
        rows = pq.read_table(path)
        pq.write_table(rows.take(pa.array(range(len(rows) - 1, -1, -1))), path)

    def read(unit: Unit, column: str) -> int:
        parts = list_parts(pack, unit)
        return sum(len(rows) for part in parts for rows in part.read([column]))

    assert read("steps", "step") == sum(LENGTHS)
    with pytest.raises(BrokenPackError, match="in its place; expected"):
        read("episodes", "step_rows")


def test_nothing_to_load_tells_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(NothingFoundError, match="neither a store") as raised:
        load(tmp_path)
    assert "tapwright episodes import" in str(raised.value.hint)


def test_a_stream_of_nothing_is_refused() -> None:
    torch_datasets = pytest.importorskip("tapwright.formats.loading.torch_datasets")
    with pytest.raises(UsageError, match="there is no source"):
        torch_datasets.stream(batch_size=1)


def test_steps_of_a_store_are_those_that_reading_it_gives(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    with store.create(task_id="t", instruction="Do it", agent="me", device="fake") as writer:
        for number in range(4):
            writer.append(small_step(number))
        writer.undo()
        writer.note(1, "this one")
        writer.append(small_step(7))
        writer.finish("success", small_step(8).observation)
    store.write(small_episode(3, "edited"))
    before = store.read("edited")
    store.save(before, replace(before, steps=before.steps[1:]), edit="cut")
    (lines,) = (tmp_path / "edited/versions").glob("*/steps.jsonl")
    text = lines.read_bytes()  # in another order of its parts, as a hand may leave it
    lines.write_bytes(text.replace(b'{"type":"step",', b'{"reward":0.0,"type":"step",', 1))
    steps = StoreSteps(store)
    expected = [(one.id, step) for one in store for step in one.steps]
    found = [steps.read(index) for index in range(len(steps))]
    assert [(one.episode_id, one.step) for one in found] == expected
    assert [one.step.note for one in found if one.step.note] == ["this one"]
    for one in found:
        assert one.before == store.read(one.episode_id).steps[: one.number]
    assert pickle.loads(pickle.dumps(steps)).read(3) == found[3]  # for a worker's process


def test_a_line_that_is_no_step_any_more_is_named(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    store.write(small_episode(3, "one"))
    steps = StoreSteps(store)
    path = tmp_path / "one/steps.jsonl"
    path.write_bytes(b"x" * len(path.read_bytes()))
    with pytest.raises(CorruptEpisodeError, match=r"steps\.jsonl, line 2: not a step"):
        steps.read(1)
    path.unlink()
    with pytest.raises(CorruptEpisodeError, match="cannot be read"):
        steps.read(1)


@pytest.mark.parametrize("where", ["", "steps > 0"])
def test_an_episode_that_cannot_be_read_is_told_however_steps_are_chosen(
    root: Path, tmp_path: Path, where: str
) -> None:
    shutil.copytree(root / "store", tmp_path / "store")
    (tmp_path / "store" / "e3" / "episode.json").write_text("{bad")
    with pytest.warns(EpisodeWarning, match="e3/episode.json"):
        found = StoreSteps(EpisodeStore(tmp_path / "store"), where=where)
    assert len(found) == sum(LENGTHS) - LENGTHS[3]
