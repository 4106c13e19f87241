"""Colours of the light and the dark screen: grey by default, colour only where it means something.

Colour stands for "chosen", for a named part, or for a status; vendors have none. A hue may recur
in another set (parts of memory, limits of speed), never in one figure.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme, by meaning."""

    page: str
    veil: str
    """The page's colour, half transparent: behind labels that may stand on a line."""
    panel: str
    line: str
    ink: str
    soft_ink: str

    chosen: str
    chosen_text: str
    chosen_row: str
    others: str
    target: str
    good: str
    near: str
    poor: str

    weights: str
    gradients: str
    optimizer: str
    kv_cache: str
    activations: str
    overhead: str

    compute: str
    bandwidth: str
    communication: str

    training: str
    serving: str

    scale: tuple[str, ...]
    """One hue from nothing to full, for heat maps."""

    def part(self, name: str) -> str:
        """Colour of a part of memory, by its name in `tables.MEMORY_PARTS`."""
        return str(getattr(self, name))

    def cost_part(self, name: str) -> str:
        """Colour of a part of what a request costs, by its name in `tables.REQUEST_PARTS`."""
        own = {"prefill": self.activations, "decode": self.overhead, "idle": self.line}
        return own.get(name) or self.part(name)

    def limit(self, name: str) -> str:
        """Colour of a limit of speed, by its name in `tables.LIMITS`."""
        return self.bandwidth if name == "memory bandwidth" else str(getattr(self, name))


LIGHT = Palette(
    page="#FFFFFF",
    veil="rgba(255,255,255,0.65)",
    panel="#F4F6F8",
    line="#E1E5EA",
    ink="#161B22",
    soft_ink="#5B6472",
    chosen="#2F6FDB",
    chosen_text="#1F5BC4",
    chosen_row="#EEF4FD",
    others="#8A93A0",
    target="#6E7885",
    good="#17703C",
    near="#8F5A00",
    poor="#B3261E",
    weights="#7BA7E0",
    gradients="#E47293",
    optimizer="#764B8C",
    kv_cache="#EDA35E",
    activations="#2BC0B6",
    overhead="#51565E",
    compute="#EDA35E",
    bandwidth="#3F78C8",
    communication="#CF6A9E",
    training="#8A4FB0",
    serving="#0F8B7E",
    scale=("#F2F6FC", "#DEE9F8", "#C5D9F3", "#A8C5EC", "#87ADE3", "#6594D8", "#477CCB", "#2F64B6",
           "#1F4D97", "#133873"),
)  # fmt: skip

DARK = replace(
    LIGHT,
    page="#0F1318",
    veil="rgba(15,19,24,0.65)",
    panel="#181D24",
    line="#2A313B",
    ink="#E6EAF0",
    soft_ink="#98A2B0",
    chosen_text="#83AEF5",
    chosen_row="#16243A",
    good="#57C785",
    near="#E5A83B",
    poor="#F08A80",
    optimizer="#9364AB",
    overhead="#6B727C",
    training="#A877CC",
    serving="#2BA597",
    scale=("#151C26", "#18283F", "#1B3558", "#1F4372", "#25538D", "#2F65A9", "#417AC2", "#5E92D6",
           "#86AFE6", "#B5D0F3"),
)  # fmt: skip


def palette(theme: str | None) -> Palette:
    """Choose the colours for the theme that the browser reports; light if it reports none."""
    return DARK if theme == "dark" else LIGHT
