"""gem5's statistics."""

from __future__ import annotations

import shutil

import pytest

from ingest.base import Head
from ingest.parsing import lines
from ingest.readers.counters.gem5.reader import Gem5Stats
from tests.helpers.support import land, rows, shared
from tests.ingest.case import SAMPLES
from warehouse.errors import InputError

FOLDER = SAMPLES / "gem5-stats"
SAMPLE = FOLDER / "stats.txt"
REAL = "uarch/gem5_stats_d_stride_A.txt"
BEGIN = "---------- Begin Simulation Statistics ----------\n"
END = "---------- End Simulation Statistics   ----------\n"
CLOCK = "simTicks 20 # t (Tick)\nfinalTick 50 # t (Tick)\nsimFreq 1000000000 # t\n"
EVENTS = "SELECT event, value, unit FROM pmu_samples ORDER BY rowid"


def landed(warehouse, folder, text, query=EVENTS):
    path = folder / "stats.txt"
    path.write_text(text, encoding="utf-8")
    assert Gem5Stats().sniff(Head(text.encode()[: 1 << 16], path))
    land(warehouse, path, reader="gem5-stats")
    return rows(warehouse, query)


def test_an_unmodified_file_has_two_dumps_that_follow_each_other(warehouse):
    land(warehouse, shared(REAL))
    assert rows(
        warehouse,
        "SELECT sample, t_start, t_end, count(*), count(*) - count(value), count(*) - count(unit)"
        " FROM pmu_samples GROUP BY ALL ORDER BY sample",
    ) == [(0, 615287, 619728, 1498, 31, 7), (1, 619728, 624183, 1506, 31, 7)]
    query = "SELECT value, unit FROM pmu_samples WHERE event = ? ORDER BY sample"
    for event, expected in {
        "simTicks": [(4441554.0, "Tick"), (4454874.0, "Tick")],
        "simInsts": [(880409.0, "Count"), (890409.0, "Count")],
        "system.cpu.cpi": [(None, "Cycle/Count")] * 2,
        "system.switch.numIssuedDist::mean": [(1.299370, "Count"), (1.296756, "Count")],
        "system.l2bus.snoopFanout::0": [(222.0, "Count"), (223.0, "Count")],
        "hostTickRate": [(48499700.0, "Tick/Second"), (51556268.0, "Tick/Second")],
    }.items():
        assert rows(warehouse, query, event) == expected


def test_configuration_next_to_it_has_app_and_machine(warehouse):
    land(warehouse, FOLDER)
    assert rows(warehouse, "SELECT app, tags FROM runs") == [
        (
            "triad",
            {
                "cpu_type": "BaseTimingSimpleCPU",
                "cpus": "1",
                "clock_ticks": "500",
                "mem_mode": "timing",
                "command": "bin/triad 1000",
            },
        )
    ]
    assert rows(warehouse, "SELECT count(*) FROM sources") == [(1,)]


def test_real_configuration_names_both_cpus_of_a_switched_run(warehouse, tmp_path):
    shutil.copy(shared(REAL), tmp_path / "stats.txt")
    shutil.copy(shared("uarch/gem5_config_A.ini"), tmp_path / "config.ini")
    land(warehouse, tmp_path / "config.ini")
    assert rows(
        warehouse, "SELECT app, tags['cpu_type'], tags['clock_ticks'], tags['cpus'] FROM runs"
    ) == [("train", "BaseAtomicSimpleCPU, BaseO3CPU", "333", "1")]


def test_any_part_gives_all_parts_and_other_names_are_alone(tmp_path):
    reader = Gem5Stats()
    both = (FOLDER / "stats.txt", FOLDER / "config.ini")
    assert reader.parts(both[0]) == reader.parts(both[1]) == both
    shutil.copy(both[0], tmp_path / "stats_A.txt")
    shutil.copy(both[1], tmp_path / "config.ini")
    assert reader.parts(tmp_path / "stats_A.txt") == (tmp_path / "stats_A.txt",)
    assert not reader.sniff(Head((tmp_path / "config.ini").read_bytes(), tmp_path / "config.ini"))
    (tmp_path / "config.ini").write_text("[server]\nport=1\n")
    shutil.copy(both[0], tmp_path / "stats.txt")
    assert reader.parts(tmp_path / "stats.txt") == (tmp_path / "stats.txt",)


def test_all_that_the_text_output_can_hold(warehouse, tmp_path):
    text = (
        f"{BEGIN}{CLOCK}"
        "a.misses::cpu0.data  12  40.00%  40.00% # misses (Count)\n"
        "a.hist::10-19  3 # bucket (Unspecified)\n"
        "a.net::Virtual Net  5 # a name with a blank (Byte)\n"
        "a.rate  -1.5e-07 # ((Byte/Second))\n"
        "a.energy  2 (Joule)\n"
        "a.cpi  nan # nan (Ratio)\n"
        "a.bw  inf # inf ((Count/Tick))\n"
        "a.old  7 # brackets that are no unit (op/s)\n"
        "a.plain  8\n"
        "a.link  |  1  25.00%  25.00% |  nan # one line (Ratio)\n"
        f"\n{END}"
    )
    assert landed(warehouse, tmp_path, text)[3:] == [
        ("a.misses::cpu0.data", 12.0, "Count"),
        ("a.hist::10-19", 3.0, None),
        ("a.net::Virtual Net", 5.0, "Byte"),
        ("a.rate", -1.5e-07, "Byte/Second"),
        ("a.energy", 2.0, "Joule"),
        ("a.cpi", None, "Ratio"),
        ("a.bw", None, "Count/Tick"),
        ("a.old", 7.0, None),
        ("a.plain", 8.0, None),
        ("a.link::0", 1.0, "Ratio"),
        ("a.link::1", None, "Ratio"),
    ]


@pytest.mark.parametrize(
    ("clock", "times"),
    [
        (CLOCK, (30, 50)),
        ("sim_ticks 20 # t\nfinal_tick 50 # t\nsim_freq 1000000000 # t\n", (30, 50)),
        ("simTicks 20 # t\nfinalTick 50 # t\n", (None, None)),
    ],
)
def test_the_simulated_clock_of_old_and_new_versions(warehouse, tmp_path, clock, times):
    text = f"{BEGIN}{clock}a.b 1 # x\n{END}"
    assert landed(warehouse, tmp_path, text, "SELECT DISTINCT t_start, t_end FROM pmu_samples") == [
        times
    ]


def test_dumps_go_on_from_one_chunk_of_the_file_to_the_next(warehouse, tmp_path, monkeypatch):
    query = "SELECT * EXCLUDE (run_id, source_id) FROM pmu_samples ORDER BY rowid"
    whole = landed(warehouse, tmp_path, SAMPLE.read_text(), query)
    warehouse.execute("DELETE FROM sources; DELETE FROM pmu_samples")
    monkeypatch.setattr(lines, "CHUNK_BYTES", 300)
    assert landed(warehouse, tmp_path, SAMPLE.read_text(), query) == whole


def test_lines_may_end_as_on_windows(warehouse, tmp_path):
    text = f"{BEGIN}a.b 1 # x (Count)\n{END}".replace("\n", "\r\n")
    assert landed(warehouse, tmp_path, text) == [("a.b", 1.0, "Count")]


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        (f"\n{BEGIN}a.b 1 # x\n", "line 2", "has no end: the file ends before"),
        (f"{BEGIN}a.b 1 # x\n{END[:20]}", "line 1", "has no end: the file ends before"),
        (f"{BEGIN}a.b 1 # x\n\n{BEGIN}", "line 1", "has no end: another begins in line 4"),
        (f"a.b 1 # x\n{END}", "line 1", "'a.b 1 # x' is outside of a dump"),
        (f"{BEGIN}{END}{END}", "line 3", "a dump ends that never began"),
        (f"{BEGIN}{END}a.b 1\n", "line 3", "is outside of a dump"),
        (f"{BEGIN}a.b 1x # x\n{END}", "line 2", "'a.b 1x # x' is no statistic"),
        (f"{BEGIN}a.b 1 2 # x\n{END}", "line 2", "is no statistic"),
        (f"{BEGIN}a.b\n{END}", "line 2", "'a.b' is no statistic"),
        (f"{BEGIN}a.b | 1 | x # y\n{END}", "line 2", "is no statistic"),
        (f"{BEGIN}a.b 1e999 # x\n{END}", "line 2", "the value 1e999"),
        (f"{BEGIN}{CLOCK.replace('20', '-20')}{END}", "line 2", "simTicks is -20"),
        (f"{BEGIN}{CLOCK.replace('20', 'nan')}{END}", "line 2", "simTicks is nan"),
        (f"{BEGIN}{CLOCK.replace('1000000000', '0')}{END}", "line 4", "simFreq is 0"),
        (f"{BEGIN}{CLOCK.replace('20', '60')}{END}", "line 2", "simTicks is more than finalTick"),
        (f"{BEGIN}{CLOCK.replace('50', '9' * 19)}{END}", "line 2", "beyond 64 bits"),
        (f"{BEGIN}c.numIssuedDist::1 9223372036854775808 # x\n{END}", None, "is 9.22337e+18"),
        (f"{BEGIN}c.numIssuedDist::900000000000 1 # x\n{END}", None, "bucket of c in the"),
        (f"{BEGIN}{END}", None, "no measurements"),
    ],
)
def test_damaged_files_are_refused_with_their_line(refused, text, where, message):
    error = refused(text, reader="gem5-stats")
    assert error.where == where
    assert message in error.problem
    assert error.expected


def test_a_damaged_configuration_is_named(warehouse, tmp_path):
    shutil.copy(SAMPLE, tmp_path / "stats.txt")
    config = tmp_path / "config.ini"
    config.write_text("[root]\ntype=Root\nnonsense\n")
    with pytest.raises(InputError) as caught:
        land(warehouse, tmp_path / "stats.txt")
    assert (caught.value.path, caught.value.where) == (str(config), "line 3")


def test_a_configuration_alone_is_no_recording(warehouse, tmp_path):
    shutil.copy(FOLDER / "config.ini", tmp_path / "config.ini")
    with pytest.raises(InputError, match="contains no statistics"):
        land(warehouse, tmp_path / "config.ini", reader="gem5-stats")


@pytest.mark.parametrize(
    "text", ["", "name value # desc\n", "<pre>\n" + BEGIN, "simTicks,finalTick\n1,2\n", "\0\1"]
)
def test_other_files_are_not_claimed(tmp_path, text):
    assert not Gem5Stats().sniff(Head(text.encode(), tmp_path / "stats.txt"))
