"""What can go wrong, in words that a page can show.

PlannerError                 anything that a person can put right
├── DataFileError            a data file: names file, line, column, value and remedy
│   ├── CatalogError         devices, sources, prices
│   ├── ModelFileError       model architectures
│   ├── DemandError          demand shapes
│   ├── AssumptionError      assumptions, also one that is asked for and missing
│   └── EvidenceError        measurements, intervals, rows to predict
└── ScenarioError            an input outside what the planner accepts
"""


class PlannerError(Exception):
    """Base of every error that is shown to a person as it stands."""


class DataFileError(PlannerError):
    """A data file cannot be used as it is."""


class CatalogError(DataFileError):
    """A device, source or price row cannot be used."""


class ModelFileError(DataFileError):
    """A model architecture cannot be used."""


class DemandError(DataFileError):
    """A demand shape cannot be used."""


class AssumptionError(DataFileError):
    """An assumption is malformed or missing."""


class EvidenceError(DataFileError):
    """A measurement, an interval or a row to predict cannot be used."""


class ScenarioError(PlannerError):
    """An input lies outside what the planner accepts."""
