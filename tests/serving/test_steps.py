from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.catalog.catalog import device_arrays, load_catalog
from hwplanner.units import GB
from tests.devices import arrays
from tests.serving_jobs import IDEAL, REQUESTS, layout_rows, times_of
from tests.training_runs import assumed, published_model, small_model

IDEALLY = assumed(**IDEAL)
LLAMA_70B = published_model("llama-3.1-70b")
DEEPSEEK = published_model("deepseek-v3")
SPARSE = published_model("deepseek-v3.2")
GEMMA = published_model("gemma-3-27b")
MIXTRAL = published_model("mixtral-8x7b")

BODY = 68_452_360_192  # parameters of the 70B model between its tables
HEAD = 1_050_673_152  # 128,256 x 8192
HELD = 8192 - 200  # tokens in the cache on average, of an answer of 400


def test_reading_the_weights_of_a_70b_model_on_two_h100() -> None:
    # 70.55 GB in 8 bit, tables in 16, at 3.35 TB/s each: 10.5 ms before any loss.
    h100 = device_arrays([load_catalog().device("nvidia-h100-sxm")])
    times = times_of(LLAMA_70B, (2, 1, 0), devices=h100, assumptions=IDEALLY)
    assert times.fixed.memory[0, 0] == pytest.approx(70.5537e9 / (2 * 3350 * GB), rel=1e-4)


def test_one_user_of_a_70b_model_on_two_devices() -> None:
    step = times_of(LLAMA_70B, (2, 1, 0), assumptions=IDEALLY)
    weights = (BODY + 2 * HEAD) / 2 / 3e12
    cache = HELD * 327_680 / 2 / 3e12
    products = BODY * 2 / 2 / 2000e12 + HEAD * 2 / 2 / 1000e12
    all_reduces = 2 * 80 * (2 * 8192) / 450e9  # two devices exchange half, there and back
    assert step.fixed.memory[0, 0] == pytest.approx(weights)
    assert step.per_sequence.memory[0, 0] == pytest.approx(cache)
    assert step.cache_seconds[0, 0] == pytest.approx(cache)
    assert step.per_sequence.compute[0, 0] == pytest.approx(products)
    assert step.per_sequence.communication[0, 0] == pytest.approx(all_reduces)
    # Weights are read while their products are worked out: the root of the sum of the squares.
    together = (weights**2 + products**2) ** 0.5
    assert step.step_seconds(1.0)[0, 0] == pytest.approx(together + cache + all_reduces)


def test_fixed_times_are_per_layer_step_and_user() -> None:
    chosen = assumed(
        **(
            IDEAL
            | {
                "layer_seconds": 1e-4,
                "engine_factor_layer_seconds__vllm": 0.5,
                "step_seconds": 2e-4,
                "sequence_step_seconds": 1e-6,
                "allreduce_latency_seconds__nvlink": 5e-6,
            }
        )
    )
    times = times_of(LLAMA_70B, (8, 1, 0), assumptions=chosen)
    assert times.fixed.overhead[0, 0] == pytest.approx(80 * 0.5e-4 + 2e-4)
    assert times.fixed.communication[0, 0] == pytest.approx(160 * 3 * 5e-6)
    assert np.ravel(times.per_sequence.overhead)[0] == pytest.approx(1e-6)


def test_the_prompt_of_a_70b_model_on_two_devices() -> None:
    times = times_of(LLAMA_70B, (2, 1, 0), assumptions=IDEALLY)
    tokens = 8192 - 400
    products = 2 * BODY * tokens / 2 / 2000e12
    attention = 4 * 8192 * 80 * tokens**2 / 2 / 2 / 1000e12
    all_reduces = tokens * 2 * 80 * (2 * 8192) / 450e9
    step_reads = (BODY + 2 * HEAD) / 2 / 3e12  # shared with what else fills a step of 8192
    parts = products + attention + all_reduces + tokens / 8192 * step_reads
    assert times.prefill.total[0, 0] == pytest.approx(parts)
    alone = products + attention + all_reduces + step_reads
    assert times.first_token_seconds[0, 0] == pytest.approx(alone)


def test_what_is_in_the_cache_is_not_read_again() -> None:
    requests = replace(REQUESTS, reused_share=0.5)
    times = times_of(LLAMA_70B, requests=requests, assumptions=IDEALLY)
    new = (8192 - 400) / 2
    attention = 4 * 8192 * 80 * new * (new + new / 2) / 1000e12
    assert times.prefill.compute[0, 0] == pytest.approx(2 * BODY * new / 2000e12 + attention)


def test_short_prompts_are_slow_alone_but_fill_steps_together() -> None:
    chosen = assumed(**(IDEAL | {"prefill_half_tokens": 100.0}))
    requests = replace(REQUESTS, context_tokens=500, output_tokens=400, chunk_tokens=10_000)
    times = times_of(LLAMA_70B, requests=requests, assumptions=chosen)
    arithmetic = 2 * BODY * 100 / 2000e12 + 4 * 8192 * 80 * 100**2 / 2 / 1000e12
    reads = (BODY + 2 * HEAD) / 3e12
    assert times.prefill.compute[0, 0] == pytest.approx(1.01 * arithmetic)
    assert times.first_token_seconds[0, 0] == pytest.approx(2 * arithmetic + reads)


def test_a_pipeline_reads_no_less_but_computes_side_by_side() -> None:
    times = times_of(LLAMA_70B, (1, 1, 0), (1, 4, 0), assumptions=IDEALLY)
    one, four = times.fixed.memory[0]
    assert four - one == pytest.approx(3 * 2 * HEAD / 3e12)  # each stage waits for the head
    one, four = times.prefill.compute[0]
    assert four == pytest.approx(one / 4)
    one, four = times.first_token_seconds[0]
    assert four == pytest.approx(one, rel=0.02)


def test_stages_wait_for_the_fullest() -> None:
    uneven = small_model(layers=9, full_layers=9, dense_layers=9)
    times = times_of(uneven, (1, 2, 0), assumptions=IDEALLY)
    alone = times_of(uneven, (1, 1, 0), assumptions=IDEALLY)
    head = 2 * uneven.head_read_parameters / 3e12
    body = alone.fixed.memory[0, 0] - head
    assert times.fixed.memory[0, 0] == pytest.approx(body * 10 / 9 + 2 * head)


def test_a_step_reads_the_experts_that_it_touches() -> None:
    times = times_of(MIXTRAL, assumptions=IDEALLY)
    expert = MIXTRAL.expert_each_parameters  # one byte each
    first, many = times.touched_share(1.0), times.touched_share(512.0)
    assert times.experts.memory[0, 0] * first == pytest.approx(2 * expert / 3e12)
    assert times.experts.memory[0, 0] * many == pytest.approx(8 * expert / 3e12)


def test_few_tokens_for_an_expert_waste_arithmetic_only_in_experts_that_work() -> None:
    chosen = assumed(**(IDEAL | {"moe_half_tokens": 16.0, "moe_compute_factor": 0.5}))
    times = times_of(MIXTRAL, assumptions=chosen)
    wasted = 8 * 2 * MIXTRAL.expert_each_parameters / 0.5 * 16 / 2000e12
    assert times.experts.compute[0, 0] == pytest.approx(wasted)
    # Of the step of one sequence, what reading and arithmetic take together.
    step = times.step_seconds(1.0)[0, 0] - times.per_sequence.memory[0, 0]
    products = times.per_sequence.compute[0, 0] + 2 / 8 * wasted
    read = times.fixed.memory[0, 0] + 2 * MIXTRAL.expert_each_parameters / 3e12
    assert step == pytest.approx((read**2 + products**2) ** 0.5)


def test_attention_to_latent_vectors_shows_where_it_outlasts_their_reading() -> None:
    # 61 layers x 128 heads x (576 + 512) x 2 FLOP against 70,272 bytes for each held token.
    read = HELD * 70_272 / 3e12
    compute = HELD * 61 * 128 * (576 + 512) * 2
    for peak, shows in ((1000e12, 0.0), (300e12, compute / 300e12 - read)):
        devices = arrays({"bf16_flop_per_s": peak, "fp8_flop_per_s": 1e30})
        times = times_of(DEEPSEEK, devices=devices, assumptions=IDEALLY)
        head = 2 * DEEPSEEK.head_read_parameters / peak
        assert times.per_sequence.memory[0, 0] == pytest.approx(read)
        assert times.per_sequence.compute[0, 0] - head == pytest.approx(shows, rel=2e-4, abs=1e-12)


def test_tensor_groups_repeat_a_latent_cache_and_spread_ranks_do_not() -> None:
    alone, group, spread = times_of(
        DEEPSEEK, (1, 1, 0), (8, 1, 0), (8, 1, 1), assumptions=IDEALLY
    ).per_sequence.memory[0]
    assert group == pytest.approx(alone)
    assert spread == pytest.approx(alone / 8)


def test_sparse_attention_reads_what_it_chose_and_all_of_its_index() -> None:
    requests = replace(REQUESTS, context_tokens=100_000, output_tokens=1)
    times = times_of(SPARSE, requests=requests, assumptions=IDEALLY)
    held = 100_000 - 0.5
    read = 61 * (2048 * 1152 + held * 132)
    assert times.per_sequence.memory[0, 0] == pytest.approx(read / 3e12)


def test_sliding_layers_read_their_window() -> None:
    # 10 layers of 62 see everything, 52 the last 1024 tokens; 16 heads of 128.
    times = times_of(GEMMA, assumptions=IDEALLY)
    read = 2 * 2 * 16 * 128 * (10 * HELD + 52 * 1024)
    assert times.per_sequence.memory[0, 0] == pytest.approx(read / 3e12)


def test_a_lone_prompt_keeps_one_rank_of_several_busy() -> None:
    group, spread = times_of(
        DEEPSEEK, (8, 1, 0), (8, 1, 1), assumptions=IDEALLY
    ).first_token_seconds[0]
    assert spread > 2 * group


def test_an_unknown_figure_leaves_no_time() -> None:
    unknown = arrays({"bf16_flop_per_s": None, "fp16_flop_per_s": None, "fp32_flop_per_s": None})
    assert np.isnan(times_of(LLAMA_70B, devices=unknown).first_token_seconds).all()


USUAL = {
    "memory_bandwidth_bytes_per_s": 3e12,
    "bf16_flop_per_s": 1000e12,
    "fp8_flop_per_s": 2000e12,
    "link_bytes_per_s": 450e9,
    "host_link_bytes_per_s": 64e9,
    "scale_out_bytes_per_s": 50e9,
}


@given(
    row=layout_rows(),
    figure=st.sampled_from(sorted(USUAL)),
    more=st.floats(1, 2),
    domain=st.sampled_from([1, 4, 8, 72]),
    experts=st.booleans(),
    latent=st.booleans(),
    batch=st.floats(1, 512),
)
def test_no_better_figure_ever_slows(
    row: tuple[int, int, int],
    figure: str,
    more: float,
    domain: int,
    experts: bool,
    latent: bool,
    batch: float,
) -> None:
    kind = (
        {"dense_layers": 0, "moe_layers": 8, "experts": 16, "experts_per_token": 2, "moe_ffn": 512}
        if experts
        else {}
    )
    latents = {
        "kv_lora_rank": 512,
        "qk_rope_head_dim": 64,
        "qk_nope_head_dim": 64,
        "v_head_dim": 64,
    }
    model = small_model(**kind, **(latents if latent else {}))
    better = USUAL | {figure: USUAL[figure] * more}
    both = arrays(*(figures | {"scale_up_domain": domain} for figures in (USUAL, better)))
    times = times_of(model, row, devices=both)
    step = times.step_seconds(batch)
    for seconds in (
        step,
        times.tpot_seconds(batch, step),
        times.ttft_seconds(1e-3, step),
        1 / times.requests_per_s(batch, step),
    ):
        assert seconds[1, 0] <= seconds[0, 0] * (1 + 1e-9)


@given(row=layout_rows(), context=st.integers(500, 200_000), more=st.floats(1, 4))
def test_a_longer_context_is_never_faster(
    row: tuple[int, int, int], context: int, more: float
) -> None:
    short, long = (
        times_of(DEEPSEEK, row, requests=replace(REQUESTS, context_tokens=tokens))
        for tokens in (context, context * more)
    )
    assert long.step_seconds(8.0) >= short.step_seconds(8.0) * (1 - 1e-9)
    assert long.first_token_seconds >= short.first_token_seconds * (1 - 1e-9)
