"""Words for real devices, and what they rest on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwplanner.plan import Plan, make_plan
from hwplanner.report.verdicts import TESTS, Verdict, verdicts, why_not
from hwplanner.scenario import Job, Scenario
from hwplanner.wording import SPACE
from tests.devices import NO_FAST_LINK, device
from tests.plans import SMALL, catalog, place_of, plan_of, questions

JOBS: tuple[Job, ...] = ("serving", "training")


def verdict(plan: Plan, device_id: str, job: Job, test: str) -> tuple[str, str]:
    """Level and reason, with ordinary spaces."""
    found = verdicts(plan, place_of(plan, device_id), job)[TESTS.index(test)]
    return found.level, found.reason.replace(SPACE, " ")


def reason(plan: Plan, device_id: str, job: Job) -> str:
    return why_not(plan, place_of(plan, device_id), job).replace(SPACE, " ")


def made_up(**changes: object) -> Plan:
    """Small jobs on one device made up."""
    question = Scenario(devices=("round",), max_training_devices=1, **SMALL)
    return make_plan(question, catalog=catalog([device(**changes)]))


# Precision


def test_a100_has_no_fp8_and_computes_in_bf16() -> None:
    found = verdict(plan_of(weight_format="fp8"), "nvidia-a100-80-sxm", "serving", "precision")
    assert found == ("near", "no fp8 rate: computes in bf16")


def test_h100_has_fp8_and_a100_has_bf16() -> None:
    fp8 = verdict(plan_of(weight_format="fp8"), "nvidia-h100-sxm", "serving", "precision")
    assert fp8 == ("good", "computes in fp8, which the device has")
    bf16 = verdict(plan_of(weight_format="bf16"), "nvidia-a100-80-sxm", "serving", "precision")
    assert bf16 == ("good", "computes in bf16, which the device has")


def test_training_asks_for_its_own_precision() -> None:
    plan = plan_of(weight_format="bf16", training_precision="fp8")
    assert verdict(plan, "nvidia-a100-80-sxm", "serving", "precision")[0] == "good"
    assert verdict(plan, "nvidia-a100-80-sxm", "training", "precision") == (
        "near",
        "no fp8 rate: computes in bf16",
    )


def test_without_any_rate_precision_is_poor_and_the_device_is_out() -> None:
    blank = {f"{name}_flop_per_s": None for name in ("fp32", "fp16", "bf16", "fp8", "int8")}
    plan = made_up(**blank)
    level, words = verdict(plan, "round", "serving", "precision")
    assert level == "poor"
    assert words.startswith("no published rate for fp8")
    assert reason(plan, "round", "serving") == words


# Software


def test_apple_does_not_list_vllm_and_says_what_it_lists() -> None:
    plan = plan_of(all_devices=True)
    words = "vLLM is not listed for it; listed are mlx, llama.cpp, pytorch(mps)"
    assert verdict(plan, "apple-m4-max", "serving", "software") == ("poor", words)
    assert reason(plan, "apple-m4-max", "serving") == words
    with_llamacpp = plan_of(all_devices=True, engine="llamacpp", weight_format="q4_k_m")
    assert verdict(with_llamacpp, "apple-m4-max", "serving", "software") == (
        "good",
        "llama.cpp runs GGUF weights on it (github.com, 2026-11-30)",
    )


def test_a_plugin_that_the_catalogue_does_not_list_counts_where_a_source_tells_of_it() -> None:
    plan = plan_of(all_devices=True, weight_format="bf16")
    level, words = verdict(plan, "apple-m4-max", "serving", "software")
    assert level == "near"
    assert "vLLM-Metal" in words
    assert plan.supported("serving")[place_of(plan, "apple-m4-max")]


@pytest.mark.parametrize(
    ("engine", "weights", "device_id", "level", "words"),
    [
        ("vllm", "fp8", "nvidia-h100-sxm", "good", "vLLM runs fp8 weights on it (docs.vllm.ai, "),
        (
            "vllm", "fp8", "nvidia-a100-80-sxm", "near",
            "vLLM runs fp8 weights on it, with limits: weights only: the arithmetic",
        ),
        ("trtllm", "fp8", "nvidia-a100-80-sxm", "poor", "TensorRT-LLM does not run fp8 weights on"),
        ("sglang", "nvfp4", "nvidia-h100-sxm", "poor", "SGLang does not run nvfp4 weights on it"),
        (
            "vllm", "bf16", "google-tpu-v5e", "near",
            "vLLM runs bf16 weights on it through a port (vllm-tpu) (pypi.org, ",
        ),
        (
            "vllm", "fp8", "google-tpu-v5e", "near",
            "vLLM is listed for it through a port (vllm-tpu); whether it runs fp8",
        ),
        ("vendor", "bf16", "google-tpu-v5e", "good", "XLA / libtpu with jax runs bf16 weights on"),
        (
            "vllm", "fp32", "nvidia-h100-sxm", "near",
            "vLLM is listed for it; whether it runs fp32 weights is unknown",
        ),
    ],
)  # fmt: skip
def test_serving_software(
    engine: str, weights: str, device_id: str, level: str, words: str
) -> None:
    plan = plan_of(engine=engine, weight_format=weights)
    found = verdict(plan, device_id, "serving", "software")
    assert found[0] == level
    assert found[1].startswith(words)
    assert plan.supported("serving")[place_of(plan, device_id)] == (level != "poor")


def test_the_cache_is_a_part_of_the_question() -> None:
    plan = plan_of(cache_format="int8")
    level, words = verdict(plan, "nvidia-h100-sxm", "serving", "software")
    assert (level, words) == (
        "near",
        "vLLM is listed for it; whether it runs an int8 cache is unknown",
    )


def test_a_device_without_the_format_is_out_and_says_who_says_so() -> None:
    words = reason(plan_of(engine="trtllm", weight_format="nvfp4"), "nvidia-h100-sxm", "serving")
    assert words == "TensorRT-LLM does not run nvfp4 weights on it (nvidia.github.io, 2026-11-30)"


def test_training_in_a_precision_that_the_device_lacks_is_denied() -> None:
    plan = plan_of(training_precision="fp8")
    words = reason(plan, "nvidia-a100-80-sxm", "training")
    assert words.startswith("no framework is known to train in fp8 on it")
    level, words = verdict(plan, "nvidia-h100-sxm", "training", "software")
    assert (level, "trains in fp8" in words) == ("good", True)
    level, words = verdict(plan_of(), "google-tpu-v5e", "training", "software")
    assert (level, "whether it trains in bf16 is unknown" in words) == ("near", True)
    assert plan_of().supported("training")[place_of(plan_of(), "google-tpu-v5e")]


def test_limited_training_says_what_it_rests_on() -> None:
    assert verdict(plan_of(), "nvidia-l4", "training", "software") == (
        "near",
        "limited: pytorch, jax on CUDA, few published runs",
    )
    assert verdict(plan_of(), "nvidia-h100-sxm", "training", "software")[0] == "good"


def test_a_device_that_does_not_train_is_out_for_training_alone() -> None:
    plan = made_up(training_supported="no")
    assert reason(plan, "round", "training") == "training is not supported on CUDA"
    assert reason(plan, "round", "serving") == ""


# Interconnect


def test_l40s_cards_are_joined_by_pcie_and_feel_it() -> None:
    level, words = verdict(plan_of(), "nvidia-l40s", "serving", "interconnect")
    assert level == "near"
    assert words.startswith("8 devices joined by PCIe 4.0 x16; links take ")


def test_h100_modules_are_joined_by_nvlink_and_beyond_a_server_by_a_network() -> None:
    plan = plan_of(users=16)
    words = verdict(plan, "nvidia-h100-sxm", "serving", "interconnect")[1]
    assert "joined by NVLink 4;" in words
    words = verdict(plan, "nvidia-h100-sxm", "training", "interconnect")[1]
    assert "joined by NVLink 4 and network;" in words


def test_one_device_needs_no_link() -> None:
    for job, what in (("serving", "a copy"), ("training", "the run")):
        found = verdict(made_up(), "round", job, "interconnect")
        assert found == ("good", f"not needed: one device holds {what}")


def test_pipelines_inside_a_server_use_its_host_links() -> None:
    # Two cards of 12 GiB hold 8 GiB of weights and a cache that one does not.
    plan = made_up(**NO_FAST_LINK, usable_memory_bytes=12 * 2**30)
    assert plan.serving.layout_devices[0] > 1
    assert "joined by PCIe 5.0 x16;" in verdict(plan, "round", "serving", "interconnect")[1]


# Memory


def test_memory_names_the_group_that_holds_a_copy() -> None:
    level, words = verdict(made_up(), "round", "serving", "memory")
    assert level == "good"
    assert words.startswith("a copy on 1 device takes ")
    assert words.endswith(" of 80 GiB usable")
    words = verdict(plan_of(), "nvidia-h100-sxm", "training", "memory")[1]
    assert words.startswith("the run on ")
    assert words.endswith(" usable on each")


def test_what_does_not_fit_says_what_is_missing_and_how_many_would_hold_it() -> None:
    plan = plan_of(
        model="llama-3.1-405b", weight_format="bf16", max_copy_devices=8, all_devices=True
    )
    words = reason(plan, "nvidia-h100-sxm", "serving")
    assert words.startswith("does not fit: ")
    assert words.endswith(" GiB short on each of 8, needs 12 devices")
    assert verdict(plan, "nvidia-h100-sxm", "serving", "memory") == ("poor", words)


def test_a_lone_card_without_a_network_is_not_told_to_join_others() -> None:
    lone = NO_FAST_LINK | {
        "host_link_bytes_per_s": None,
        "scale_out_bytes_per_s": None,
        "usable_memory_bytes": 4 * 2**30,
    }
    words = reason(made_up(**lone), "round", "serving")
    assert words.startswith("does not fit: ")
    assert words.endswith(" GiB short")


def test_unpublished_links_are_named_where_memory_would_do() -> None:
    plan = plan_of(all_devices=True)
    assert reason(plan, "cerebras-wse3", "training") == (
        "the rate of SwarmX (external) is not published"
    )


def test_a_blank_figure_is_said_to_be_blank() -> None:
    plan = made_up(memory_bandwidth_bytes_per_s=None)
    assert reason(plan, "round", "serving") == "figures are not published"


# Targets


def test_a_missed_target_is_the_reason() -> None:
    slow = plan_of(tpot_ms=5)
    assert reason(slow, "nvidia-l40s", "serving").startswith("too slow, ")
    late = plan_of(ttft_ms=50)
    assert reason(late, "nvidia-l40s", "serving").startswith("first token late, ")
    long = plan_of(window_hours=1)
    assert reason(long, "nvidia-l40s", "training").startswith("run takes ")


# Laws


@given(question=questions(), everything=st.booleans())
@settings(max_examples=25)
def test_every_device_has_four_verdicts_with_reasons(
    question: dict[str, object], everything: bool
) -> None:
    plan = plan_of(**question, all_devices=everything)
    for job in JOBS:
        for place in range(len(plan.devices)):
            found = verdicts(plan, place, job)
            assert [item.test for item in found] == list(TESTS)
            assert all(item.reason for item in found)
            assert "nan" not in " ".join(item.reason for item in found).split()
            poor = any(item.level == "poor" for item in found)
            fits, met = plan.fits(job)[place], plan.meets_target(job)[place]
            # Nothing is out without a reason, and no memory verdict contradicts the estimate.
            assert bool(why_not(plan, place, job)) == (not met)
            assert (found[0].level == "poor") <= (not fits)
            assert isinstance(found[0], Verdict)
            assert met <= fits
            assert poor or plan.supported(job)[place] or "published" in why_not(plan, place, job)
