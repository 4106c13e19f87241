from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.errors import ModelFileError
from hwplanner.files.columns import Column
from hwplanner.files.csv_files import shipped_dictionary
from hwplanner.model.presets import load_models
from hwplanner.model.shape import ModelShape

COLUMNS = shipped_dictionary()["models.csv"]
TINY = {
    "id": "tiny", "name": "Tiny 1B", "aliases": "org/Tiny-1B;org/Tiny-1B-Instruct", "layers": "2",
    "hidden": "8", "vocab": "10", "max_context": "64", "heads": "2", "kv_heads": "1",
    "head_dim": "4", "full_layers": "2", "dense_layers": "2", "ffn": "16", "confidence": "high",
    "source": "a page", "source_date": "2026-11-30",
}  # fmt: skip


def write(folder: Path, *rows: dict[str, str]) -> Path:
    """Write a models file, blank where a row says nothing."""
    names = [column.name for column in COLUMNS]
    lines = [",".join(row.get(name, "") for name in names) for row in rows]
    path = folder / "models.csv"
    path.write_text("\n".join([",".join(names), *lines]) + "\n", encoding="utf-8")
    return path


def test_a_row_becomes_a_shape_and_blanks_become_defaults(tmp_path: Path) -> None:
    (shape,) = load_models(write(tmp_path, TINY | {"tied_embeddings": "yes"})).shapes
    assert (shape.layers, shape.ffn, shape.head_dim) == (2, 16, 4)
    assert shape.aliases == ("org/Tiny-1B", "org/Tiny-1B-Instruct")
    assert shape.tied_embeddings
    assert (shape.gated_mlp, shape.norms_per_layer, shape.experts) == (True, 2, 0)


@pytest.mark.parametrize("name", ["tiny", "TINY", "Tiny 1B", "org/Tiny-1B", " tiny-1b-INSTRUCT "])
def test_a_model_is_found_by_any_of_its_names(tmp_path: Path, name: str) -> None:
    assert load_models(write(tmp_path, TINY)).get(name).id == "tiny"


def test_an_unknown_name_brings_close_ones() -> None:
    with pytest.raises(ModelFileError, match="no model 'llama-3.1-80b', did you mean 'llama-3.1-"):
        load_models().get("llama-3.1-80b")


@given(st.text())
def test_any_text_is_a_model_or_refused_kindly(name: str) -> None:
    known = name.strip().rpartition("/")[2].casefold() in load_models().by_name
    with nullcontext() if known else pytest.raises(ModelFileError, match="there is no model"):
        load_models().get(name)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"layers": "-2"}, "line 2, tiny: layers is '-2'; write a whole number above 0"),
        ({"layers": ""}, "line 2, tiny: layers is blank; write a whole number above 0"),
        ({"hidden": "4k"}, "line 2, tiny: hidden is '4k'; write a whole number above 0"),
        ({"vocab": "128 256"}, "line 2, tiny: vocab is '128 256'; write the digits without sep"),
        ({"biases": "some"}, "line 2, tiny: biases is 'some'; write one of none, qkv, all"),
        ({"gated_mlp": "true"}, "line 2, tiny: gated_mlp is 'true'; write yes or no"),
        ({"sliding_layers": "1"}, "line 2, tiny: sliding_window is blank; write it, since sliding"),
        ({"kv_heads": "3"}, "line 2, tiny: kv_heads is 3; write at most heads, 2"),
        ({"published_counts": "vision"}, "line 2, tiny: published_counts is 'vision'; Input"),
        ({"source": ""}, "line 2, tiny: source is blank; write a text"),
    ],
)
def test_a_broken_cell_is_named(tmp_path: Path, cells: dict[str, str], message: str) -> None:
    with pytest.raises(ModelFileError) as fault:
        load_models(write(tmp_path, TINY | cells))
    assert f"models.csv {message}" in str(fault.value)


def test_two_models_cannot_share_a_name(tmp_path: Path) -> None:
    twin = TINY | {"id": "twin", "name": "Twin", "aliases": "other/tiny-1b"}
    with pytest.raises(ModelFileError, match="line 3, twin: the name 'tiny-1b' belongs to tiny"):
        load_models(write(tmp_path, TINY, twin))


def test_every_column_is_a_field_of_the_shape_and_the_other_way_round() -> None:
    assert [column.name for column in COLUMNS] == list(ModelShape.model_fields)


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)
def test_what_a_column_calls_optional_has_a_default(column: Column) -> None:
    if not column.required:
        assert not ModelShape.model_fields[column.name].is_required()
