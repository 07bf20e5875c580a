"""drcov files: a real one against known facts, and ones written here."""

from __future__ import annotations

import pytest

from tests.helpers.support import land, rows, shared
from tests.ingest.cases.drcov import BLOCKS, HEADER, coverage
from warehouse.errors import InputError

MODULES = HEADER.split("Columns:")[1].split("path\n")[1]
FOUND = "SELECT bb, pc_first, source_file FROM bb_blocks ORDER BY bb"
EXPECTED = [
    (0, 0x9E8, None),
    (1, 0x102C, "/home/user/pair"),
    (2, 0x103D, "/home/user/pair"),
    (3, 0x20, "/lib/odd, name.so"),
]


def test_real_file_has_the_facts(warehouse):
    land(warehouse, shared("bb/drcov/boombox.drcov.log.gz"))
    query = "SELECT count(*), count(DISTINCT source_file), count(size) FROM bb_blocks"
    assert rows(warehouse, query) == [(2444, 5, 0)]
    query = "SELECT count(*) FROM bb_blocks WHERE source_file LIKE '%boombox.exe'"
    assert rows(warehouse, query) == [(379,)]


def test_blocks_as_text(landed):
    lines = [f"module[{module if module < 9 else -1:3}]: 0x{start:016x}, {size:3}\n".encode()
             .replace(b"0x00000000", b"0x") for start, size, module in BLOCKS]  # fmt: skip
    text = coverage()[: coverage().index(b"bbs\n") + 4] + b"module id, start, size:\n"
    assert landed(text + b"".join(lines), FOUND) == EXPECTED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "version 2, count 2\nColumns: id, base, end, entry, path\n" + MODULES,
            "2\n  0, 12288, /home/user/pair\n  1, 1671168, /lib/odd, name.so\n",
        ),
        (
            "version 2, count 2\nColumns: id, base, end, entry, path\n" + MODULES,
            "version 5, count 2\nColumns: id, containing_id, start, end, entry, offset, "
            "preferred_base, path\n  0, 0, 0x1, 0x2, 0x0, 0x0, 0x1, /home/user/pair\n"
            "  1, 1, 0x1, 0x2, 0x0, 0x0, 0x1, /lib/odd, name.so\n",
        ),
    ],
    ids=["first", "fifth"],
)
def test_versions_of_the_table_of_modules(old, new, landed):
    assert old in HEADER
    content = coverage(header=HEADER.replace(old, new))
    assert landed(content, FOUND) == EXPECTED


@pytest.mark.parametrize(
    ("content", "problem", "where"),
    [
        (coverage()[:-1], "there are 39 bytes of blocks", "after line 7"),
        (coverage() + b"\n", "there are 41 bytes of blocks", "after line 7"),
        (coverage().replace(b"5 bbs", b"6 bbs"), "there are 40 bytes of blocks", "after line 7"),
        (coverage([(0, 1, 2)]), "the block is of module 2, which is not in the table", "block 1"),
        (coverage()[:200], "module 1 of the table cannot be read", "line 6"),
        (
            coverage().replace(b"  1, 0x", b"  2, 0x"),
            "module 1 of the table cannot be read",
            "line 6",
        ),
        (coverage().replace(b"count 2", b"count 1"), "the line is not one of a drcov", "line 6"),
        (coverage().replace(b"count 2", b"count 3"), "module 2 of the table cannot be", "line 7"),
        (HEADER.encode(), "the table of blocks is missing", "line 6"),
        (b"DRCOV VERSION: 2\nBB Table: 0 bbs\n", "the table of modules is missing", "line 2"),
        (
            coverage().replace(b"FLAVOR", b"FLAVOUR"),
            "the line is not one of a drcov head",
            "line 2",
        ),
    ],
)
def test_damage_is_reported(content, problem, where, landed, warehouse):
    with pytest.raises(InputError) as caught:
        landed(content, FOUND)
    assert caught.value.problem.startswith(problem)
    assert caught.value.where == where
    assert rows(warehouse, "SELECT count(*) FROM bb_blocks") == [(0,)]


def test_blocks_as_text_that_are_cut(landed):
    text = coverage([])[:-6] + b"2 bbs\nmodule id, start, size:\nmodule[  0]: 0x00000020,  10\n"
    with pytest.raises(InputError, match="there are 1 blocks"):
        landed(text, FOUND)
