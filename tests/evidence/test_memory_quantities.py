import pytest

from hwplanner.evidence.memory_quantities import read_quantity
from hwplanner.units import BILLION, GB, GIB, MIB


@pytest.mark.parametrize(
    ("quantity", "unit", "meaning", "size"),
    [
        ("weights_gib_per_device", "GiB", "weights", GIB),
        ("weights_gb_per_device", "GB", "weights", GB),
        ("weights_plus_nontorch_gib", "GiB", "weights_and_context", GIB),
        ("kv_gib", "GiB(printed GB)", "cache", GIB),
        ("kv_cache_gib_per_device", "GB(GiB)", "pool", GIB),
        ("kv_cache_mib", "MiB", "pool", MIB),
        ("kv_swa_mib", "MiB", "cache_of_windows", MIB),
        ("kv_kib_per_token_label", "KiB", "cache_per_token", 1024),
        ("recurrent_state_mib_per_seq", "MiB", "state", MIB),
        ("kv_cache_tokens_total", "tokens", "tokens", 1),
        ("gpu_blocks(16)", "blocks", "blocks", 16),
        ("max_concurrency_x", "x", "concurrency", 1),
        ("max_model_len_possible", "tokens", "longest", 1),
        ("cuda_graph_mib_per_device", "MiB", "graphs", MIB),
        ("params_exact", "params", "parameters", 1),
        ("params_b", "B", "parameters", BILLION),
        ("peak_memory_gb", "GB", "total", GB),
        ("file_bytes", "B", "file", 1),
        ("fits", "bool", "fits", 1),
        ("colour", "", "", 1),
    ],
)
def test_what_a_quantity_means(quantity: str, unit: str, meaning: str, size: float) -> None:
    asked = read_quantity(quantity, unit)
    assert (asked.meaning, asked.unit) == (meaning, size)
