"""What the folder of a profile means: it distinguishes Extra-P's experiments.

`kripke.p8.d2.g32.r1/profile.cubex` is the first repetition of kripke at p = 8, d = 2, g = 32
(https://github.com/extra-p/extrap/blob/master/docs/file-formats.md#cube-file-format).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from ingest.compressed import bare_name
from ingest.parsing.app_names import folder_app
from ingest.parsing.parameters import OTHER, SIZE, Parameters

_EXPERIMENT = re.compile(r"(?P<app>[^.]*)\.(?P<rest>.+?)(?:\.r(?P<repetition>\d{1,9}))?", re.ASCII)
_PARAMETER = re.compile(r"([A-Za-z][A-Za-z_-]*)(\d{1,15}(?:[.,]\d{1,15})?)", re.ASCII)
_REPETITION = re.compile(r"r(\d{1,9})", re.ASCII)
# scorep_lulesh_8x2_sum, as Scalasca names its folders.
_SCALASCA = re.compile(r"scorep_(?P<app>.+?)_(?:\d+|O)(?:x(?:\d+|O))?(?:_[a-z]+)*", re.ASCII)
_FAR = 5  # names looked at: further away, a folder does not describe a profile
# Names that tools choose by themselves: no programs.
_NO_NAME = re.compile(r"|profile|summary|scout|trace|scorep[-_]?[\d_]*|\d+x\d+", re.ASCII)


@dataclass(slots=True)
class Experiment:
    """What names mean for a profile: the program, the parameters, the repetition."""

    app: str | None = None
    parameters: dict[str, float] = field(default_factory=dict)
    repetition: int | None = None

    @property
    def parallelism(self) -> int | None:
        """What the program is scaled by; None where no parameter can be that."""
        if not self.parameters:
            return None
        known = Parameters(list(self.parameters))
        value = list(self.parameters.values())[known.parallel]
        counts = known.kind != SIZE and value.is_integer() and 1 <= value < 1 << 31
        return int(value) if counts else None

    @property
    def problem_size(self) -> float | None:
        """The parameter that is a problem size; None if there is none."""
        size = Parameters(list(self.parameters)).size if self.parameters else None
        return None if size is None else list(self.parameters.values())[size]


def experiment(path: Path) -> Experiment:
    """Read the names of a profile and of the folders above it, nearest first."""
    found = Experiment()
    path = path.resolve()
    # The file's own name comes first, and replaces a folder of that name around it.
    places = [path.with_name(Path(bare_name(path)).stem), *path.parents]
    for place in places[:_FAR]:
        label = place.name
        if repetition := _REPETITION.fullmatch(label):
            found.repetition = int(repetition[1]) if found.repetition is None else found.repetition
        elif not found.parameters and (named := _parsed(label)) is not None:
            named.repetition = found.repetition if named.repetition is None else named.repetition
            found = named
        elif not _NO_NAME.fullmatch(label):
            scalasca = _SCALASCA.fullmatch(label)
            found.app = scalasca["app"] if scalasca else folder_app(place)
        if found.app is not None:
            break
    return found


def _parsed(label: str) -> Experiment | None:
    """Read a name such as kripke.p8.g32.r1, or p8 alone; None where it has no parameters."""
    named = _EXPERIMENT.fullmatch(label)
    text = named["rest"] if named else label
    found = _PARAMETER.findall(text)
    if named is None and not (_PARAMETER.sub("", text) == "" and _all_known(found)):
        return None
    if not found:
        return None
    return Experiment(
        app=(named["app"] or None) if named else None,
        parameters={name.rstrip("_-"): float(value.replace(",", ".")) for name, value in found},
        repetition=int(named["repetition"]) if named and named["repetition"] else None,
    )


def _all_known(found: list[tuple[str, str]]) -> bool:
    """Return whether all parameters are single letters or have a known meaning: not run7."""
    names = [name.rstrip("_-") for name, _ in found]
    known = [Parameters([name]) for name in names]
    return all(len(n) == 1 or k.kind != OTHER for n, k in zip(names, known, strict=True))
