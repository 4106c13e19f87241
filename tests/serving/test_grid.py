import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.assumptions import load_assumptions
from hwplanner.catalog.catalog import load_catalog
from hwplanner.catalog.device import device_arrays
from hwplanner.model.workload import workload
from hwplanner.scenario import Scenario
from hwplanner.serving.grid import ServingGrid, largest_batch, serving_grid
from tests.devices import NO_FAST_LINK, arrays

H100 = device_arrays([load_catalog().device("nvidia-h100-sxm")])


def grid(devices: object = None, **scenario: object) -> ServingGrid:
    question = Scenario(**scenario)
    return serving_grid(question, workload(question), devices or arrays(), load_assumptions())


def place(found: ServingGrid, tensor: int, pipeline: int, spread: int = 0) -> int:
    layouts = found.layouts
    return int(
        np.flatnonzero(
            (layouts.tensor == tensor)
            & (layouts.pipeline == pipeline)
            & (layouts.attention_parallel == spread)
        )[0]
    )


def test_405b_at_16_bit_does_not_fit_on_eight_h100_but_on_twelve() -> None:
    # 812 GB of weights against 8 x 79.2 GiB = 680 GB; 12 hold 1020 GB.
    found = grid(H100, model="llama-3.1-405b", weight_format="bf16")
    fits = found.layouts.devices[found.holds[0]]
    assert not np.any(fits <= 8)
    assert fits.min() == 12


def test_one_h100_does_not_hold_405b() -> None:
    found = grid(H100, model="llama-3.1-405b", weight_format="bf16")
    alone = place(found, 1, 1)
    assert not found.holds[0, alone]
    assert found.short_bytes[0, alone] > 700e9


def test_deepseek_v3_needs_more_than_eight_cards_of_80_gb() -> None:
    # 671 GB in fp8 are 83.9 GB for each of 8: LMDeploy on 8 x H800.
    found = grid(H100, model="deepseek-v3")
    assert not found.holds[0, place(found, 8, 1)]
    assert found.holds[0, place(found, 8, 2)]


def test_a_550b_mixture_in_fp8_runs_on_one_server_of_h200() -> None:
    # Measured on 8 x H200 where a calculator asked for eleven servers: configiq issue 89.
    h200 = device_arrays([load_catalog().device("nvidia-h200-sxm")])
    found = grid(h200, model="nemotron-3-ultra-550b-a55b")
    assert found.holds[0, place(found, 8, 1)]


def test_one_long_request_does_not_fit_on_a_rank_of_its_own() -> None:
    # 262,144 tokens of Qwen3-Coder-480B are 62 GiB, and 48.66 were free: vLLM recipes 12.
    h200 = device_arrays([load_catalog().device("nvidia-h200-sxm")])
    found = grid(h200, model="qwen3-coder-480b-a35b", context_tokens=262_144)
    assert not found.holds[0, place(found, 8, 1, 1)]
    assert found.holds[0, place(found, 8, 1)]


def test_ranks_hold_whole_sequences() -> None:
    found = grid(H100, model="deepseek-v3", context_tokens=131_072)
    here = place(found, 32, 1, 1)
    on_rank = np.floor(found.pool_bytes[0, here] / found.memory.cache_bytes_per_sequence[here])
    assert found.memory_batch[0, here] == 32 * on_rank


def test_an_engine_admits_no_more_than_its_setting() -> None:
    found = grid(model="qwen3-0.6b", context_tokens=1024)
    assert found.memory_batch[0, place(found, 1, 1)] == 256
    assert found.memory_batch[0, place(found, 1, 2)] == 512


def test_heads_are_not_split_in_pieces() -> None:
    found = grid(model="qwen2.5-7b")  # 28 heads
    assert found.possible[0, place(found, 4, 1)]
    assert not found.possible[0, place(found, 8, 1)]


def test_no_stage_is_empty() -> None:
    found = grid(parameters_billion=0.1)  # 12 layers
    assert not found.possible[0, place(found, 1, 16)]


def test_layouts_need_links() -> None:
    lone = arrays(NO_FAST_LINK | {"host_link_bytes_per_s": None, "scale_out_bytes_per_s": None})
    found = grid(lone, parameters_billion=8)
    assert found.layouts.devices[found.possible[0]].tolist() == [1]


@given(
    memory=st.integers(0, 5000),
    tpot=st.floats(0.001, 0.2),
    ttft=st.floats(0.01, 5),
    kind=st.sampled_from(["dense", "moe"]),
)
def test_the_largest_batch_is_within_and_one_more_is_not(
    memory: int, tpot: float, ttft: float, kind: str
) -> None:
    found = grid(kind=kind)
    here = place(found, 8, 1)
    times = found.times.take(np.array([here]))
    limits = (np.array([[tpot]]), np.array([[ttft]]))

    def within(batch: float) -> bool:
        step = times.step_seconds(batch)
        return bool(
            batch <= memory
            and times.tpot_seconds(batch, step) <= tpot
            and times.ttft_seconds(times.requests_per_s(batch, step), step) <= ttft
        )

    batch = float(
        largest_batch(
            times=times,
            memory_batch=np.array([[float(memory)]]),
            tpot_seconds=limits[0],
            ttft_seconds=limits[1],
        )[0, 0]
    )
    assert batch == 0 or within(batch)
    assert not within(batch + 1)
