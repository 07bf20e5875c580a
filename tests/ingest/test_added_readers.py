"""Readers of other packages: the example of ingest/README.md as a package, and broken ones."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import ingest.readers
from ingest import contract
from ingest.contract import BrokenPromise, check
from ingest.forget import forget_source
from ingest.readers import GROUP, READERS, added_readers, all_readers
from ingest.walk import find
from tests.helpers.support import land, rows
from warehouse.errors import UsageError

README = Path(ingest.readers.__file__).parents[1] / "README.md"
EXAMPLE, EXAMPLE_TEST = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
STEPS = "step 0: 0.125 s\nstep 1: 0.250 s\nstep 2: 0.375 s\n"


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return a function that installs a package of one module, until the end of the test."""

    def installed(code, entry="steps = pwh_steps:Steps", module="pwh_steps"):
        site = tmp_path / "site"
        info = site / f"{module}-1.0.dist-info"
        info.mkdir(parents=True)
        (site / f"{module}.py").write_text(code)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{GROUP}]\n{entry}\n")
        monkeypatch.syspath_prepend(site)
        added_readers.cache_clear()

    yield installed
    for name in ("pwh_steps", "pwh_broken"):
        sys.modules.pop(name, None)
    added_readers.cache_clear()


@pytest.fixture
def sample(tmp_path):
    path = tmp_path / "small.steps"
    path.write_text(STEPS)
    return path


def test_the_example_is_found_lands_and_keeps_the_contract(install, sample, warehouse):
    install(EXAMPLE)
    (found,) = find([sample])
    assert found.reader is not None and found.reader.NAME == "steps"
    land(warehouse, sample)
    sql = (
        "SELECT metric, repetition, value, unit, reader FROM metrics "
        "JOIN sources USING (source_id) ORDER BY repetition"
    )
    assert rows(warehouse, sql)[2] == ("step", 2, 0.375, "s", "steps")
    assert "check(Steps(), Path(" in EXAMPLE_TEST
    check(found.reader, sample, cut_may_land=True)


def test_the_order_of_readers(install):
    install(EXAMPLE)
    names = [reader.NAME for reader in all_readers()]
    assert names[-2:] == ["steps", "plain"]
    assert names[:-2] + names[-1:] == [reader.NAME for reader in READERS]


def test_a_name_of_pwh_is_not_replaced(install):
    install(EXAMPLE, "gprof = pwh_steps:Steps")
    assert added_readers() == ()


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("import nothing_of_that_name\n", "cannot be loaded (ModuleNotFoundError"),
        ("Steps = None\n", "cannot be loaded (TypeError"),
        (EXAMPLE.replace('NAME = "steps"', 'NAME = "other"'), "its NAME is 'other'"),
        (
            EXAMPLE.replace('return head.data.startswith(b"step 0: ")', "return head.nothing"),
            "failed to recognise a file (AttributeError",
        ),
    ],
)
def test_a_broken_one_is_named_and_spares_other_files(install, sample, warehouse, code, problem):
    install(code)
    (found,) = find([sample])
    assert found.error is not None
    assert "the reader steps of the package pwh_steps" in found.error.hint
    assert problem in found.error.hint
    table = sample.with_name("plain.csv")
    table.write_text("metric,value\ntime,1\n")
    assert len(land(warehouse, table)) == 1


def test_naming_a_broken_one_is_a_usage_error(install, sample, warehouse):
    install("import nothing_of_that_name\n")
    with pytest.raises(UsageError, match="package pwh_steps cannot be loaded"):
        land(warehouse, sample, reader="steps")


@pytest.mark.parametrize(
    ("before", "after", "checks", "broken"),
    [
        ('NAME = "steps"', 'NAME = "Steps"', "names", "the name 'Steps' is not like-this"),
        ('b"step 0: "', 'b"stop"', "recognition", "does not recognise small.steps"),
        ('("metrics",)', '("fn_timings",)', "landing", "{'metrics'} are not in TABLES"),
        ('"metrics"', '"metrics"  ', "cut", "lands other metrics"),
        ("found is None or ", "", "damaged", "stumbled over damage"),
    ],
)
def test_what_the_contract_sees(sample, warehouse, before, after, checks, broken):
    code = EXAMPLE.replace(before, after)
    assert code != EXAMPLE
    scope = {}
    exec(code, scope)
    reader = scope["Steps"]()
    found = {
        "names": lambda: contract.check_names(reader),
        "recognition": lambda: contract.check_recognition(reader, sample),
        "landing": lambda: contract.check_landing(warehouse, reader, sample),
        "cut": lambda: contract.check_cut(warehouse, reader, sample),
        "damaged": lambda: contract.check_damaged(warehouse, reader, sample),
    }
    with pytest.raises(BrokenPromise, match=re.escape(broken)):
        found[checks]()
    for (source_id,) in rows(warehouse, "SELECT source_id FROM sources"):
        forget_source(warehouse, source_id)
