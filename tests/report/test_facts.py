"""Names with a fact each: the model, what grows with what, how busy a device is."""

import re

import pytest
from hypothesis import given, settings

from hwplanner.plan import Plan
from hwplanner.report.facts import busy, facts_table, growth, model
from hwplanner.wording import MINUS, SPACE
from tests.plans import plan_of, questions


def model_of(name: str, **changes: object) -> dict[str, str]:
    return {key: fact.replace(SPACE, " ") for key, fact in model(plan_of(model=name, **changes))}


def grown(plan: Plan) -> dict[str, str]:
    return {key: fact.replace(SPACE, " ") for key, fact in growth(plan)}


def test_a_published_model_is_described() -> None:
    facts = model_of("llama-3.1-8b", weight_format="bf16")
    assert facts["Parameters"] == "8,030,261,248"
    assert facts["Layers and width"] == "32 layers, 4,096 wide"
    assert facts["Attention"] == "32 heads, 8 for keys and values, 128 wide"
    assert facts["Weights"] == "15 GiB in 16-bit (bf16)"  # 2 x 8.03e9 / 2**30 = 14.96
    assert facts["Cache of a token"] == "131,072 bytes, growing with the context"
    assert facts["Source"]


def test_experts_and_latent_attention_are_described() -> None:
    facts = model_of("deepseek-v3")
    assert facts["Experts"] == "8 of 256 a token"
    assert facts["Attention"] == "latent, 512 + 64 values a token"
    assert facts["Cache of a token"].startswith("70,272 bytes")


def test_sliding_layers_are_described() -> None:
    assert model_of("gemma-3-27b")["Sliding window"] == "52 layers keep 1,024 tokens only"


def test_growth_by_hand() -> None:
    # 131,072 bytes a token: 8,192 more tokens of one user are 1 GiB; 10 users of 8k are 10.
    plan = plan_of(model="llama-3.1-8b", weight_format="bf16", users=16, context_tokens=8192)
    facts = grown(plan)
    assert facts["8k more context"] == "cache + 16 GiB"
    assert facts["10 more users"] == "cache + 10 GiB"
    # 16-bit stay embeddings and head, 2 x 128,256 x 4,096; of the others 2 bytes become 0.52.
    body = 8_030_261_248 - 2 * 128_256 * 4096
    saved = body * (2 - (4 + 20 / 128) / 8) / 2**30
    assert facts["4-bit weights"] == (
        f"weights {MINUS} {saved:.3g} GiB a copy, quality not yet tested here"
    )


def test_sliding_layers_do_not_grow_beyond_their_window() -> None:
    # 10 of 62 layers keep everything: 16 heads x 128 values x 2 x 2 bytes x 8,192 tokens.
    plan = plan_of(model="gemma-3-27b", users=1, context_tokens=8192)
    gib = 10 * 16 * 128 * 2 * 2 * 8192 / 2**30
    assert grown(plan)["8k more context"] == f"cache + {gib:.3g} GiB"


def test_four_bit_weights_save_nothing_on_four_bit_weights() -> None:
    assert "4-bit weights" not in grown(plan_of(weight_format="int4"))


def share(words: str) -> float:
    return float(re.match(r"([\d.,]+)%", words).group(1).replace(",", "")) / 100


def test_busy_shares_by_hand() -> None:
    plan = plan_of(model="llama-3.1-70b", devices=("nvidia-h100-sxm",), prefix_reuse_percent=0)
    facts = dict(busy(plan, 0))
    serving = plan.serving
    # 6.4 requests a second of 8,192 tokens, each multiplied with all but the embeddings.
    flop_per_s = 2 * (70_553_706_496 - 128_256 * 8192) * 8192 * 6.4
    peak = serving.devices[0] * 1978.9e12
    assert share(facts["Arithmetic"]) == pytest.approx(flop_per_s / peak, abs=0.006)
    assert share(facts["Memory"]) == pytest.approx(
        serving.used_bytes[0] / (79.2 * 2**30), abs=0.011
    )
    assert share(facts["Capacity in requests"]) == pytest.approx(
        6.4 / serving.capacity_requests_per_s[0], abs=0.006
    )


@given(question=questions())
@settings(max_examples=40)
def test_nothing_is_busier_than_all_the_time(question: dict[str, object]) -> None:
    plan = plan_of(**question)
    place = plan.serving_choice
    if place is None:
        return
    facts = dict(busy(plan, place))
    assert len(facts) == 5
    if plan.serving.meets_target[place]:
        assert all(0 <= share(words) <= 1 for words in facts.values())


def test_facts_as_a_file() -> None:
    table = facts_table("busy", "How busy", [("Memory", "half"), ("Links", "none")])
    assert (table.key, table.title) == ("busy", "How busy")
    assert table.rows == (
        {"name": "Memory", "fact": "half"},
        {"name": "Links", "fact": "none"},
    )
