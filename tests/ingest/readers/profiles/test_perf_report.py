"""perf report --stdio: other columns, call graphs, and damage; its sample is in the contract."""

from __future__ import annotations

import pytest

from tests.helpers.support import rows
from warehouse.errors import InputError

OVERHEAD = """\
# Samples: 4K of event 'cycles:u'
# Event count (approx.): 1000000
#
# Overhead  Command  Shared Object  Symbol
# ........  .......  .............  .........
#
    50.00%  a.out    a.out          [.] work
    20.00%  a.out    libc.so.6      [.] 0x00000000000abcde
    10.00%  a.out    libc.so.6      [.] 0x00000000000abcdf
     8.00%  sh       a.out          [.] work
     2.00%  a.out    [kernel]       [k] fault
"""
GRAPH = """\
# Samples: 4K of event 'cycles'
# Event count (approx.): 1000
#
# Children      Self  Command  Shared Object  Symbol
# ........  ........  .......  .............  .......
#
   100.00%    10.00%  a.out    a.out          [.] main
            |
            |--90.00%--main
            |          work
             --10.00%--main

    90.00%    90.00%  a.out    a.out          [.] work
            |
            ---main
               work

"""
VALUES = "SELECT region, event, value, inclusive FROM pmu_samples ORDER BY rowid"


def test_rows_of_a_function_are_added_up_and_those_without_a_symbol_by_object(landed):
    assert landed(OVERHEAD, VALUES) == [
        ("work", "cycles:u", pytest.approx(580e3), None),
        ("[libc.so.6]", "cycles:u", pytest.approx(300e3), None),
        ("fault", "cycles:u", pytest.approx(20e3), None),
    ]


TIP = "\n\n#\n# (Tip: Show current config key-value pairs: perf config --list)\n#\n"
ABOVE = OVERHEAD[: OVERHEAD.index("    50.00%")]


def test_what_rows_lack_of_the_count_is_not_printed(landed):
    found = landed(OVERHEAD + TIP, VALUES)
    assert found[-1] == ("[not printed]", "cycles:u", pytest.approx(100e3), None)


def test_rounded_shares_lack_nothing(landed):
    rest = "     9.99%  a.out    a.out          [.] rest\n"
    assert [row[0] for row in landed(OVERHEAD + rest + TIP, VALUES)] == [
        *("work", "[libc.so.6]", "fault", "rest"),
    ]


WIDE = ABOVE.replace("Command  Shared Object  Symbol", "CPU  Symbol").replace(
    ".......  .............  .........", "...  ........."
) + ("    50.00%  -001  [.] work\n     8.00%  -001  [.] work\n")
VERBOSE = OVERHEAD.replace("[.] work", "0x11af             B [.] work")


@pytest.mark.parametrize("text", [WIDE, VERBOSE])
def test_symbols_with_an_address_or_behind_a_wide_column(landed, text):
    assert landed(text, VALUES)[0] == ("work", "cycles:u", pytest.approx(580e3), None)


@pytest.mark.parametrize("column", ["Shared Object", "Command"])
def test_objects_and_commands_are_no_functions(landed, column):
    above = ABOVE.replace("Command  Shared Object  Symbol", f"{column:13}")
    above = above.replace(".......  .............  .........", ".............")
    expected = [("[work]", "cycles:u", pytest.approx(980e3), None)]
    assert landed(above + "    98.00%  work\n", VALUES) == expected


FOLDED = GRAPH.replace("            |--90.00%--", "90.00% ").replace("             --10", "10")


@pytest.mark.parametrize("text", [GRAPH, FOLDED])
@pytest.mark.usefixtures("analyses")
def test_call_graphs_below_rows_are_left_alone(landed, warehouse, text):
    assert landed(text, VALUES) == [
        ("main", "cycles", 100.0, 1000.0),
        ("work", "cycles", 900.0, 900.0),
    ]
    query = "SELECT value FROM run_metrics WHERE metric = 'counter:cycles'"
    assert rows(warehouse, query) == [(1000.0,)]


def test_memory_accesses_have_a_weight(landed):
    text = """\
# Samples: 2K of event 'cpu/mem-loads,ldlat=30/P'
# Total weight : 1000
# Sort order   : local_weight,mem,sym
#
# Overhead       Samples  Local Weight  Memory access             Symbol
# ........  ............  ............  ........................  ......................
#
    12.50%             2  62            RAM hit                   [.] work
     5.00%             1  50            L3 hit                    [.] work
"""
    assert landed(text, VALUES) == [
        ("work", "weight of cpu/mem-loads,ldlat=30/P", 175, None),
        ("work", "samples of cpu/mem-loads,ldlat=30/P", 3, None),
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# Event count (approx.): 1000\n", "", "was found"),
        ("event 'cycles'", "events 'anon group { cycles, instructions }'", "are in one table"),
        ("# ........  ........", "# ......,.  ........", "has no columns above it"),
        ("   100.00%    10.00%", "   100.00%    10 %  ", "'10 %' was found"),
        (GRAPH, GRAPH * 2, "another table of cycles begins"),
    ],
)
def test_damage(landed, old, new, message):
    assert old in GRAPH
    with pytest.raises(InputError, match=message):
        landed(GRAPH.replace(old, new), VALUES)
