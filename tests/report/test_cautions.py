"""What a reader is told before trusting a plan."""

import pytest

from hwplanner.report.cautions import cautions
from tests.plans import plan_of


def test_the_worked_example_needs_no_caution() -> None:
    assert cautions(plan_of()) == ()


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (
            {"context_tokens": 512, "output_tokens": 400, "model": "llama-3.1-8b"},
            "",
        ),
        (
            {"context_tokens": 512, "output_tokens": 2000, "request_interval_seconds": 600},
            "An answer of 2,000 tokens does not fit in a context of 512; ",
        ),
        (
            {"model": "llama-3.1-8b", "context_tokens": 262144},
            "Llama 3.1 8B takes a context of 128k at most; the plan is for 256k.",
        ),
        (
            {"request_interval_seconds": 1},
            "At the targets an answer takes longer than the time between two requests of a user; ",
        ),
        (
            {"weight_format": "q4_k_m"},
            "4-bit GGUF (Q4_K_M) is a format of llama.cpp; vLLM may not ",
        ),
        ({"weight_format": "q4_k_m", "engine": "llamacpp"}, ""),
        (
            {"weight_format": "int4", "engine": "llamacpp"},
            "llama.cpp loads GGUF files; 4-bit (int4 AWQ/GPTQ) weights would have to be converted.",
        ),
        ({"weight_format": "bf16", "engine": "llamacpp"}, ""),
        (
            {"quote_device": "nvidia-t4", "quote_rent_usd_per_hour": 1},
            "Your quote for NVIDIA T4 is not used: not compared.",
        ),
        ({"quote_device": "nvidia-l4"}, "Your quote for NVIDIA L4 has no price yet."),
        (
            {"quote_purchase_usd": 9000},
            "Your quote is not used: say which device it is for, under Money.",
        ),
        ({"quote_device": "nvidia-l4", "quote_purchase_usd": 2000}, ""),
        (
            {"parameters_billion": 8, "devices": ("nvidia-rtx-4090",)},
            "Training barely fits: 21.8\N{NO-BREAK SPACE}GiB of ",
        ),
    ],
)
def test_inputs_without_effect_or_at_odds_are_said(question: dict[str, object], words: str) -> None:
    said = cautions(plan_of(**question))
    assert len(said) == bool(words)
    if words:
        assert said[0].startswith(words)
        assert said[0].endswith(".")


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"context_tokens": 32768, "output_tokens": 20, "prefix_reuse_percent": 0, "users": 64},
        {"context_tokens": 32768, "output_tokens": 20, "demand_percent": 110, "users": 64},
    ],
)
def test_random_arrivals_that_miss_a_target_are_told(question: dict[str, object]) -> None:
    plan = plan_of(ttft_ms=20_000, **question)
    place = plan.serving_choice
    is_late = plan.latency.tpot.mean[place] > 1.1 * 0.040
    told = [text for text in cautions(plan) if text.startswith("Planned for an even flow")]
    assert bool(told) == (is_late and plan.scenario.demand_percent == 100)
    # prompts of 32,748 tokens come for every 20 that are written
    assert is_late == ("context_tokens" in question)
