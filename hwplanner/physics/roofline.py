"""How much arithmetic and reading a pass needs, and how long a device takes for them.

Small formulas that serving and training compose. Efficiencies come from the assumptions.
"""

import numpy as np

from hwplanner.units import Array, Quantity


def attention_flop(
    *,
    width: Quantity,
    layers: Quantity,
    new_tokens: Quantity,
    cached_tokens: Quantity,
    reach_tokens: Quantity = np.inf,
) -> Quantity:
    """Arithmetic of causal attention over a prompt of which a part is cached.

    Parameters
    ----------
    width
        Heads times head size: the width of queries and of values. [values/token]
    layers
        Layers of this kind. [layers]
    new_tokens
        Tokens that pass the model now. [tokens]
    cached_tokens
        Tokens before them, already in the cache. [tokens]
    reach_tokens
        Most tokens that one token attends to: a window, or the choice of sparse attention.
        [tokens]

    Returns
    -------
    float or ndarray
        Operations of scores and of weighted values. [FLOP]

    Notes
    -----
    Each new token meets the cached ones and, under the causal mask, the new ones before it, which
    are half of them on average, until it meets as many as it can reach; 2 FLOP per value for the
    scores and 2 for the sum: the 4 [1]_.

    References
    ----------
    .. [1] "How to Scale Your Model", ch. Transformer math, github.com/jax-ml/scaling-book.

    Examples
    --------
    >>> float(attention_flop(width=8192, layers=80, new_tokens=1000, cached_tokens=0)) / 1e12
    1.31072

    Beyond a window of 100 tokens, 900 tokens meet 100 each and the first 100 half as many:

    >>> float(attention_flop(width=1, layers=1, new_tokens=1000, cached_tokens=0,
    ...                      reach_tokens=100)) / 4
    95000.0
    """
    growing = np.clip(reach_tokens - cached_tokens, 0, new_tokens)
    reached = np.minimum(reach_tokens, cached_tokens + new_tokens)
    met = growing * (cached_tokens + growing / 2) + (new_tokens - growing) * reached
    return 4 * width * layers * met


def touched_expert_share(
    *, tokens: Quantity, experts: Quantity, experts_per_token: Quantity, routing_skew: Quantity
) -> Quantity:
    """Share of the experts that a step over several tokens has to read.

    Parameters
    ----------
    tokens
        Tokens in the step. [tokens]
    experts, experts_per_token
        Experts in a layer, and how many of them one token uses. [experts]
    routing_skew
        1 if tokens choose independently, 0 if all choose alike. [1]

    Returns
    -------
    float or ndarray
        Share from k/E for one token towards 1. [1]

    Notes
    -----
    The chance that an expert is left out by one token is 1 - k/E; further tokens count as
    `routing_skew` of a token.

    Examples
    --------
    >>> touched_expert_share(tokens=1, experts=8, experts_per_token=2, routing_skew=0.5)
    0.25
    """
    independent_tokens = 1 + routing_skew * (tokens - 1)
    return 1 - (1 - experts_per_token / experts) ** independent_tokens


def activation_traffic_bytes(
    *,
    layers: Quantity,
    hidden: Quantity,
    active_ffn: Quantity,
    expert_visits: Quantity,
    bytes_per_value: Quantity,
) -> Quantity:
    """Activations of one token that pass the memory if every tensor is written and read once.

    Parameters
    ----------
    layers
        Layers of the model. [layers]
    hidden, active_ffn
        Width of the model, and of what a token passes in a feed-forward layer. [values/token]
    expert_visits
        Experts that a token passes, all layers together. [visits/token]
    bytes_per_value
        Width of one number. [bytes/value]

    Returns
    -------
    float or ndarray
        Traffic. [bytes/token]

    Notes
    -----
    Ten tensors of the model's width and three of the feed-forward width for each layer; an expert
    takes a copy of its token and returns one. Engines fuse some of it and repeat other parts:
    `activation_traffic_factor` of the assumptions.

    Examples
    --------
    >>> activation_traffic_bytes(layers=32, hidden=4096, active_ffn=14336, expert_visits=0,
    ...                          bytes_per_value=2) / 1e6
    5.373952
    """
    widths = layers * (10 * hidden + 3 * active_ffn) + 2 * expert_visits * hidden
    return bytes_per_value * widths


def queue_wait_seconds(*, requests_per_s: Quantity, service_seconds: Quantity) -> Array:
    """Mean wait of requests that arrive at random for a service of fixed length.

    Parameters
    ----------
    requests_per_s
        Rate of arrival. [requests/s]
    service_seconds
        Time that one of them takes. [s]

    Returns
    -------
    ndarray
        Wait before the service begins; infinite where more arrives than can be served. [s]

    Notes
    -----
    The M/D/1 queue, R D^2 / (2 (1 - R D)), as prefill is modelled in [1]_.

    References
    ----------
    .. [1] Zhong et al. 2024, "DistServe", section 3.1.

    Examples
    --------
    >>> float(queue_wait_seconds(requests_per_s=5, service_seconds=0.1))
    0.05
    """
    busy_share = requests_per_s * service_seconds
    idle_share = np.where(busy_share < 1, 1 - busy_share, np.nan)
    return np.where(busy_share < 1, busy_share * service_seconds / (2 * idle_share), np.inf)
