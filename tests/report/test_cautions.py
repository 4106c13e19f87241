"""What a reader is told before trusting a plan."""

import pytest

from hwplanner.quote import Quote
from hwplanner.report.cautions import cautions
from tests.plans import plan_of


def quote(device: str, **changes: object) -> Quote:
    """A rent on demand of one's own, but for the changes."""
    return Quote(**{"device": device, "kind": "on_demand", "amount": 1.0} | changes)


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
            {"shape": "own"},
            "No week of your own is drawn or uploaded yet, so demand is taken as flat; ",
        ),
        (
            {"context_tokens": 512, "output_tokens": 2000, "request_interval_seconds": 600},
            "An answer of 2,000 tokens does not fit in a context of 512; ",
        ),
        (
            {
                "model": "llama-3.1-8b",
                "context_tokens": 262144,
                "devices": ("nvidia-h200-sxm",),
            },
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
            {"quotes": (quote("nvidia-t4"),)},
            "Your price for NVIDIA T4 is not used: not compared.",
        ),
        ({"quotes": (quote("nvidia-l4"),)}, ""),
        ({"quotes": (quote("nvidia-l4"), quote("nvidia-l4", kind="spot"))}, ""),
        (
            {"quotes": (quote("nvidia-l4"), quote("nvidia-l4", amount=0.5))},
            "Of your 2 prices for NVIDIA L4 (rent on demand) the newest counts, $0.50; delete ",
        ),
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


ONE_RENTED = {"devices": ("nvidia-h100-sxm",), "market": "hyperscaler"}


@pytest.mark.parametrize(
    ("date", "is_told"), [("2026-05-30", True), ("2026-05-31", False), ("", False)]
)
def test_an_old_price_that_decides_the_plan_is_told(date: str, is_told: bool) -> None:
    """The catalogue is of 30 November 2026; all is rented where renting is nearly free."""
    rent = quote("nvidia-h100-sxm", amount=0.01, date=date)
    said = cautions(plan_of(**ONE_RENTED, quotes=(rent,)))
    words = (
        "The rent of NVIDIA H100 SXM5 80GB is of 2026-05-30, more than six months before the plan; "
        "ask anew and enter it on the Prices page."
    )
    assert (words in said) == is_told


def test_the_day_of_the_plan_decides_what_is_old() -> None:
    said = cautions(plan_of(devices=("nvidia-h100-sxm",), plan_date="2027-11-30"))
    assert any("NVIDIA H100 SXM5 80GB is of 2026-" in text for text in said)


def test_an_old_price_of_a_device_that_is_not_chosen_is_not_told() -> None:
    dear = quote("nvidia-l4", amount=900.0, date="2025-01-01")
    assert cautions(plan_of(quotes=(dear,))) == ()
