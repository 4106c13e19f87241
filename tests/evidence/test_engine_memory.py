from typing import Any

import pytest

from hwplanner.evidence.engine_memory import MemoryHabits, memory_habits, release
from hwplanner.evidence.engines import Engine
from hwplanner.units import GIB

VLLM = Engine("vllm", "vllm")


def habits(**changes: Any) -> MemoryHabits:
    told = {
        "engine": VLLM, "name": "vLLM", "version": "0.25", "date": "", "usable_bytes": 79 * GIB,
        "is_a100": False, "context_tokens": 8192.0, "is_context_asked": True, "sequences": None,
        "is_awq": False,
    }  # fmt: skip
    return memory_habits(**(told | changes))


@pytest.mark.parametrize(
    ("version", "date", "expected"),
    [
        ("0.6.5dev", "2024-12-14", (0, 6)),
        ("0.20.2rc1 fork", "", (0, 20)),
        ("", "2025-07-22", (0, 10)),
        ("V0", "2024-01-08", (0, 2)),
        ("", "not shown", (99, 0)),
    ],
)
def test_the_release_of_a_log(version: str, date: str, expected: tuple[int, int]) -> None:
    assert release(version=version, date=date) == expected


def test_old_vllm_reads_prompts_whole_up_to_32k_and_in_small_chunks_beyond() -> None:
    # vLLM issue 10517: 29,000 in one step, 35,000 in steps of 512.
    def chunk(context_tokens: float) -> float:
        return habits(version="0.6.x V0", context_tokens=context_tokens).chunk_tokens

    assert [chunk(1000), chunk(29_000), chunk(35_000)] == [2048, 29_000, 512]


def test_new_vllm_takes_larger_steps_on_larger_devices() -> None:
    assert habits().chunk_tokens == 8192
    assert habits(usable_bytes=24 * GIB).chunk_tokens == 2048
    assert habits(is_a100=True).chunk_tokens == 2048


def test_graphs_come_out_of_the_share_since_release_21() -> None:
    assert not habits(version="0.20.0").counts_graphs
    assert habits(version="0.21.0").counts_graphs


def test_the_line_about_the_cache_changed_its_meaning_with_release_21() -> None:
    assert habits(version="0.20.0").charges_all_layers
    assert not habits(version="0.21.0").charges_all_layers


def test_latent_caches_came_with_release_7() -> None:
    assert habits(version="0.5.4").unfolds_latent
    assert not habits(version="0.8.5").unfolds_latent


def test_llamacpp_keeps_one_step_beyond_each_window_of_every_sequence() -> None:
    llamacpp = habits(engine=Engine("llamacpp", "llamacpp"), name="llama.cpp", sequences=2.0)
    assert llamacpp.window_chunk_tokens == 1024
