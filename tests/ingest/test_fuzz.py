"""Damaged samples of every reader: they land, or are refused, and nothing in between.

PWH_FUZZ_EXAMPLES=1000 pytest tests/ingest/test_fuzz.py looks longer, at other examples each time.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.contract import COMPRESS, written
from ingest.forget import forget_source
from ingest.walk import find
from tests.helpers.support import land
from tests.helpers.thorough import cases
from tests.ingest.cases import CASES
from tests.ingest.copies import is_empty, name_of, parts_of
from tests.ingest.mutations import MUTATIONS, mutated
from warehouse.errors import InputError, PwhError

EXAMPLES = os.environ.get("PWH_FUZZ_EXAMPLES")
pytestmark = pytest.mark.usefixtures("without_analyses")
each_case = pytest.mark.parametrize("case", CASES, ids=name_of)
# DuckDB and the system see damage themselves; a broken database is another matter.
SEEN = (OSError, duckdb.Error)
BROKEN = (duckdb.FatalException, duckdb.InternalException)
fuzzed = settings(
    max_examples=int(EXAMPLES or cases(8, 100)),
    derandomize=EXAMPLES is None,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)


def lands_or_is_refused(con, path, reader):
    """Land a damaged file; whatever comes of it, no row is left behind."""
    try:
        landed = land(con, path, reader=reader)
    except PwhError as error:
        assert str(path.parent) in str(error)
        # A reader that stumbles over damage, instead of seeing it, has not reported what is wrong.
        stumbled = error.__cause__
        assert isinstance(error, InputError)
        assert stumbled is None or isinstance(stumbled, SEEN), repr(stumbled)
        assert not isinstance(stumbled, BROKEN), repr(stumbled)
    else:
        for one in landed:
            forget_source(con, one.source_id)
    assert is_empty(con)


@each_case
def test_damaged_content(case, warehouse):
    parts = parts_of(case)

    @fuzzed
    @given(name=st.sampled_from(list(parts)), mutations=MUTATIONS)
    def run(name, mutations):
        with tempfile.TemporaryDirectory() as folder:
            path = written(Path(folder), parts | {name: mutated(parts[name], mutations)})
            # Whatever the file, recognition returns.
            assert len(list(find([path]))) == 1
            lands_or_is_refused(warehouse, path, case.reader)

    run()


@pytest.mark.parametrize("suffix", COMPRESS)
def test_damaged_compression(suffix, warehouse):
    case = CASES[0]
    parts = {name: COMPRESS[suffix](data) for name, data in parts_of(case).items()}

    @fuzzed
    @given(name=st.sampled_from(list(parts)), mutations=MUTATIONS)
    def run(name, mutations):
        with tempfile.TemporaryDirectory() as folder:
            packed = parts | {name: mutated(parts[name], mutations)}
            lands_or_is_refused(warehouse, written(Path(folder), packed, suffix), case.reader)

    run()
