"""Python profiles."""

from __future__ import annotations

import cProfile
import marshal
import profile
import pstats
import re
from collections import Counter
from pathlib import Path

import pytest

from ingest.base import Head
from ingest.readers.profiles.cprofile import CProfile
from ingest.recording import Recording
from tests.helpers.support import land, rows, shared
from tests.ingest.case import SAMPLES
from warehouse.errors import InputError

SAMPLE = SAMPLES / "cprofile" / "wordcount.pstats"
REAL = "scaling/hatchet_formats/cprofile-hatchet-pstats"
FLAT = """
    SELECT function, source_line, calls, seconds, inclusive_seconds FROM fn_timings
    ORDER BY function, source_line
"""
KEY = ("a.py", 3, "f")


_ADDRESS = re.compile(r"( at 0x)[0-9a-f]+")  # of objects: taken out of names


def by_pstats(path):
    """What Python's own reader returns; only for files that we trust."""
    stats = pstats.Stats(str(path)).stats
    names = Counter((file, name) for file, _, name in stats)

    def place(key):
        file, line, name = key
        if file == "~" or names[file, name] > 1:
            return _ADDRESS.sub(r"\1...", pstats.func_std_string(key)), None
        return _ADDRESS.sub(r"\1...", f"{file}({name})"), line

    found = ((*place(key), calls, own, total) for key, (_, calls, own, total, _) in stats.items())
    return sorted(found, key=lambda row: row[0])


def read(folder, data):
    path = folder / "profile.pstats"
    path.write_bytes(data)
    return list(CProfile().read(Recording((path,))))


def refused(folder, data):
    with pytest.raises(InputError) as caught:
        read(folder, data)
    return caught.value


def work():
    return sorted(str(number) for number in range(20))


@pytest.mark.parametrize("profiler", [cProfile, profile])
def test_new_profiles_land_as_pstats_reads_them(warehouse, tmp_path, profiler):
    path = tmp_path / "new.pstats"
    run = profiler.Profile()
    run.runcall(work)
    run.dump_stats(path)
    land(warehouse, path)
    assert rows(warehouse, FLAT) == by_pstats(path)


def test_our_sample_and_a_real_profile_land_as_pstats_reads_them(warehouse):
    land(warehouse, SAMPLE)
    assert rows(warehouse, FLAT) == by_pstats(SAMPLE)
    warehouse.execute("DELETE FROM fn_timings")
    real = shared(f"{REAL}/cprofile-cycle.pstats")
    land(warehouse, real)
    assert rows(warehouse, FLAT) == by_pstats(real)


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
def test_all_versions_of_marshal(warehouse, tmp_path, version):
    # Version 0 and 1 write floats as text, 3 and later refer to values that were there before.
    path = tmp_path / "old.pstats"
    stats = {KEY: (1, 2**40, 0.1, 2.5, {("~", 0, "<built-in \xe9>"): (1, 1, 0.1, 2.5)})}
    path.write_bytes(marshal.dumps(stats, version))
    land(warehouse, path)
    assert rows(warehouse, FLAT) == [("a.py(f)", 3, 2**40, 0.1, 2.5)]


def test_a_profile_of_python_2(warehouse):
    # Python 3 cannot read it: its strings are bytes and refer to each other.
    land(warehouse, shared(f"{REAL}/cprofile-cycle-py2.pstats"))
    sql = """
        SELECT function, source_line, calls, seconds FROM fn_timings
        WHERE function LIKE 'pstats%' OR function LIKE '{%' ORDER BY ALL
    """
    assert rows(warehouse, sql) == [
        ("pstats_reader_test.py(e)", 17, 1, 0.000279),
        ("pstats_reader_test.py(f)", 21, 1000, 0.033694999999999996),
        ("pstats_reader_test.py(g)", 12, 1001, 0.023393999999999998),
        ("pstats_reader_test.py(recursive)", 27, 10211100, 2.297906),
        ("{method 'disable' of '_lsprof.Profiler' objects}", None, 1, 0.0),
        ("{range}", None, 2002, 0.006392999999999999),
    ]


def dump(entry=(1, 1, 0.1, 0.2, {}), key=KEY):
    return marshal.dumps({key: entry})


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (marshal.dumps({}), "the profile has no functions"),
        (marshal.dumps([1]), "was found"),
        (dump() + b"N", "there are more bytes after the profile"),
        (dump(entry=(-2, 1, 0.1, 0.2, {})), "a.py:3(f) has -2 calls"),
        (dump(entry=(1, 2**64, 0.1, 0.2, {})), "a.py:3(f) has 18446744073709551616 calls"),
        (dump(entry=(1, 2**80, 0.1, 0.2, {})), "a number has 90 bits"),
        (dump(entry=(1, 1, -0.1, 0.2, {})), "a.py:3(f) has a time of -0.1 s"),
        (dump(entry=(1, 1, 0.1, float("nan"), {})), "a.py:3(f) has a time of nan s"),
        (dump(entry=(1, 1, "0", 0.2, {})), "a.py:3(f) has no entry of a profile"),
        (dump(entry=(1, 1, 0.1, 0.2)), "a.py:3(f) has no entry of a profile"),
        (dump(entry=(1, 1, 0.1, 0.2, {KEY: None})), "a.py:3(f) has no entry of a profile"),
        (dump(entry=(1, 1, 0.1, 0.2, {"f": 1})), "a function is not named as in a profile"),
        (dump(key=("a.py", -3, "f")), "a function is not named as in a profile"),
        (dump(key=(b"\xe9.py", 3, "f")), "byte 0xe9 of the text"),
        (dump(key="f"), "a function is not named as in a profile"),
        (
            marshal.dumps({KEY: compile("1", "x", "eval")}),
            "the profile contains code, as those of Python's module profile do",
        ),
        (marshal.dumps({(((((((((1,),),),),),),),),): 1}), "nested too deeply"),
        (marshal.dumps({KEY: {((1,),): 1}}), "a key of a dict is not plain"),
        (b"{)\x03s\xff\xff\xff\xff", "a length is -1"),
        (b"{r\x07\x00\x00\x00", "there is no earlier value 7"),
        (b"{\xa9\x01r\x00\x00\x00\x00", "there is no earlier value 0"),
        (b"{f\x03nan", "'nan' is in the place of a number"),
        (b"{N0", "an end of a dict was found"),
        (b"{l\x01\x00\x00\x00\xff\xff", "a long number is damaged"),
    ],
)
def test_what_is_refused(tmp_path, data, problem):
    error = refused(tmp_path, data)
    assert problem in error.problem
    assert error.where.startswith("byte ")


def test_references_upon_references_do_not_take_for_ever(tmp_path):
    # Each tuple contains 200 references to the one before: hashing it would visit 200**6 values.
    data = b"{"
    for level in range(6):
        inner = b"i\x01\x00\x00\x00" if level == 0 else b"r" + (level - 1).to_bytes(4, "little")
        data += b"\xa9\xc8" + inner * 200 + b"N"
    with pytest.raises(InputError):
        read(tmp_path, data + b"0")


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (SAMPLE.read_bytes(), True),
        (b"{(\x03\x00\x00\x00s8\x00\x00\x00/usr", True),
        (marshal.dumps({}), True),
        (b'{"params": {"p": 1}}', False),
        (b"{0: 1}", False),
        (b"", False),
    ],
)
def test_sniff(head, known):
    assert CProfile().sniff(Head(head, Path("x.prof"))) is known


def test_calls_that_nobody_counted_are_unknown(warehouse, tmp_path):
    # Sampling profilers write -1 there.
    (tmp_path / "s.pstats").write_bytes(dump(entry=(-1, -1, 0.1, 0.2, {})))
    land(warehouse, tmp_path / "s.pstats")
    assert rows(warehouse, "SELECT calls, seconds FROM fn_timings") == [(None, 0.1)]


def test_sampled_times_of_recursion_are_no_times_with_callees(warehouse, tmp_path):
    # As pyinstrument -r pstats writes them: 3 samples of 1 s in r -> a -> b -> a -> c.
    def entry(own, total, *callers):
        called = {("w.py", 1, caller): (-1, -1, own, total) for caller in callers}
        return (-1, -1, own, total, called)

    document = {"r": entry(0.0, 3.0), "a": entry(0.0, 6.0, "r", "b"), "b": entry(0.0, 3.0, "a"),
                "c": entry(3.0, 3.0, "a"), "d": entry(1.0, 9.0, "d")}  # fmt: skip
    data = marshal.dumps({("w.py", 1, name): one for name, one in document.items()})
    (tmp_path / "s.pstats").write_bytes(data)
    land(warehouse, tmp_path / "s.pstats")
    totals = rows(warehouse, "SELECT inclusive_seconds FROM fn_timings ORDER BY function")
    assert totals == [(None,), (None,), (3.0,), (None,), (3.0,)]


def test_yappi_writes_all_calls_before_the_primitive_ones(warehouse, tmp_path):
    path = tmp_path / "yappi.pstat"
    path.write_bytes(dump(entry=(35421, 1, 0.1, 0.2, {})))
    land(warehouse, path)
    assert rows(warehouse, "SELECT calls FROM fn_timings") == [(35421,)]
