"""Token lengths of published runs that do not print them."""

from __future__ import annotations

# Mean tokens of prompt and answer in the data sets that MLPerf prescribes for a model; its logs do
# not print them. From memory of the data sets' descriptions, to be checked before relied on.
MLPERF_LENGTHS: tuple[tuple[str, tuple[float, float]], ...] = (
    ("llama-2-70b", (294, 294)),
    ("llama2-70b", (294, 294)),
    ("gpt-j", (555, 69)),
    ("gptj", (555, 69)),
    ("405b", (9400, 680)),
    ("mixtral-8x7b", (275, 145)),
    ("3.1-8b", (778, 73)),
    ("deepseek-r1", (800, 3900)),
)
SINGLE_PROMPT = (16.0, 256.0)  # a question at a prompt, as demonstrations time
CHAT = (220.0, 200.0)  # means of ShareGPT conversations, which serving benchmarks draw from


def run_lengths(
    *, input_tokens: float | None, output_tokens: float | None, model: str, is_single: bool
) -> tuple[float, float]:
    """Fill the lengths of a run where they are not published. [tokens], [tokens]

    Parameters
    ----------
    input_tokens, output_tokens
        As published; None if not. [tokens]
    model
        Name of the model as published.
    is_single
        Whether there is one request at a time.

    Examples
    --------
    >>> run_lengths(input_tokens=None, output_tokens=None, model="EleutherAI/gpt-j-6b",
    ...             is_single=False)
    (555, 69)
    """
    words = model.lower()
    if input_tokens is None:
        usual = next((both for word, both in MLPERF_LENGTHS if word in words), CHAT)
        usual = SINGLE_PROMPT if is_single and usual == CHAT else usual
    else:
        usual = SINGLE_PROMPT if is_single else CHAT
    return (
        usual[0] if input_tokens is None else input_tokens,
        usual[1] if output_tokens is None else output_tokens,
    )
