"""What pwh needs: licences that allow any use, and a lock with a hash for all that CI installs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.lock import LOCKED

PROJECT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (PROJECT / "constraints.txt").read_text(encoding="utf-8")

# identifiers of SPDX, then what packages call the same licences
PERMISSIVE = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "CNRI-Python"),
    *("HPND", "ISC", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Python-2.0", "Unlicense"),
    *("Zlib", "zlib", "BSD", "Apache 2.0", "Apache License 2.0", "MIT License", "ISC License"),
    *(
        "BSD License",
        "BSD 3-Clause",
        "3-Clause BSD License",
        "Apache Software License",
        "ISC License (ISCL)",
    ),
    *("Mozilla Public License 2.0 (MPL 2.0)", "Python Software Foundation License"),
    *("The Unlicense (Unlicense)", "zlib/libpng License", "MIT No Attribution License (MIT-0)"),
    "Historical Permission Notice and Disclaimer (HPND)",
}
TEXTS = (
    "Permission is hereby granted, free of charge, to any person obtaining a copy",
    "Redistribution and use in source and binary forms, with or without modification",
    "Apache License Version 2.0",
    "Mozilla Public License Version 2.0",
)
IDENTIFIER = re.compile(r"\b(?!AND\b|OR\b)[\w.+-]+(?: WITH [\w.+-]+)?")


def permissive(statement: str) -> bool:
    """Return whether permissive licences alone satisfy a name or an expression of SPDX."""
    if statement in PERMISSIVE:
        return True
    expression = IDENTIFIER.sub(lambda one: str(one[0] in PERMISSIVE), statement)
    try:
        return eval(expression.replace("AND", "and").replace("OR", "or")) is True
    except SyntaxError:
        return False


def not_permissive(package: Distribution) -> str | None:
    """Return what a package states of a licence that is not permissive; None if all is well."""
    metadata = package.metadata
    stated = [metadata["License-Expression"]] if "License-Expression" in metadata else []
    if not stated:
        classifiers = [c for c in metadata.get_all("Classifier", []) if c.startswith("License ::")]
        stated = [c.rpartition(" :: ")[2] for c in classifiers if c != "License :: OSI Approved"]
        # Some put the whole text into this field.
        line = metadata.get("License", "").strip()
        stated += [line] if line and "\n" not in line else []
    if stated:
        return next((one for one in stated if not permissive(one)), None)
    files = [f for f in package.files or [] if re.match(r"(?i)licen[cs]e|copying", f.name)]
    text = " ".join(" ".join(f.read_text(encoding="utf-8") for f in files).split())
    known = any(one in text for one in TEXTS)
    return None if known and "GENERAL PUBLIC LICENSE" not in text else text[:80] or "no licence"


def needed(requirements: Iterable[str], seen: dict[str, Distribution]) -> dict[str, Distribution]:
    """Return the packages that are needed here, and those that they need, by name."""
    for text in requirements:
        requirement = Requirement(text)
        name = canonicalize_name(requirement.name)
        if name not in seen and (not requirement.marker or requirement.marker.evaluate()):
            seen[name] = distribution(name)
            needed(_of(seen[name], requirement.extras), seen)
    return seen


def _of(package: Distribution, extras: set[str]) -> Iterator[str]:
    for text in package.requires or []:
        marker = Requirement(text).marker
        if not marker or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield text.partition(";")[0]


def test_all_that_is_installed_without_extras_is_permissive():
    found = needed(PYPROJECT["project"]["dependencies"], {})
    assert len(found) > 12
    refused = {name: why for name, one in found.items() if (why := not_permissive(one))}
    assert refused == {}


def package(folder, metadata, licence=""):
    """Return a package of some metadata, with one file of a licence."""
    info = folder / "it.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: it\n{metadata}\n")
    (info / "LICENSE.txt").write_text(licence)
    (info / "RECORD").write_text("it.dist-info/LICENSE.txt,,\n")
    return Distribution.at(info)


@pytest.mark.parametrize(
    "stated",
    [
        "License-Expression: MIT",
        "License-Expression: BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0",
        "License-Expression: GPL-2.0-only OR (MIT AND Apache-2.0)",
        "License: MIT\nClassifier: License :: OSI Approved",
        "License: MIT OR Apache-2.0",
        "Classifier: License :: OSI Approved :: BSD License",
        "License: Copyright\n        (c) 2001 and so on\nClassifier: License :: OSI Approved :: "
        "BSD License",
    ],
)
def test_what_is_permissive(stated, tmp_path):
    assert not_permissive(package(tmp_path, stated)) is None


@pytest.mark.parametrize(
    "stated",
    [
        "License: GPL-3.0-or-later",
        "License-Expression: MIT AND GPL-3.0-or-later",
        "License-Expression: LGPL-2.1-only OR AGPL-3.0-only",
        "License-Expression: Apache-2.0 WITH Commons-Clause",
        "License-Expression: LicenseRef-Proprietary",
        "License: MIT\nClassifier: License :: OSI Approved :: GNU Affero General Public License v3",
        "Classifier: License :: Other/Proprietary License",
        "License: see the file",
    ],
)
def test_what_is_not(stated, tmp_path):
    assert not_permissive(package(tmp_path, stated)) is not None


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("Permission is hereby granted, free of charge,\nto any person obtaining a copy", True),
        ("GNU GENERAL PUBLIC LICENSE", False),
        ("All rights reserved.", False),
        ("", False),
    ],
)
def test_a_text_counts_where_nothing_is_stated(text, allowed, tmp_path):
    assert (not_permissive(package(tmp_path, "", text)) is None) == allowed


def test_the_lock_has_versions_hashes_and_nothing_else():
    lines = LOCK.splitlines()
    assert LOCKED in lines[0]
    line = re.compile(r"# torch==[\d.]+|[\w.-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}")
    assert [one for one in lines[2:] if not line.fullmatch(one)] == []


def test_the_lock_has_all_that_is_asked_for():
    locked = {
        canonicalize_name(name): version
        for name, version in re.findall(r"^(?:# )?([\w.-]+)==(\S+)", LOCK, re.MULTILINE)
    }
    project = PYPROJECT["project"]
    asked = [*PYPROJECT["build-system"]["requires"], *project["dependencies"]]
    asked += chain.from_iterable(project["optional-dependencies"].values())
    requirements = [one for one in map(Requirement, asked) if one.name != "pwh"]
    missing = [
        str(one)
        for one in requirements
        if not one.specifier.contains(locked.get(canonicalize_name(one.name), "0"))
    ]
    assert missing == [], "renew constraints.txt: python -m tests.lock"
