"""Versions of data across ranks, by hand."""

from __future__ import annotations

import numpy as np

from ingest.readers.tasks.starpu.data import Accesses, Messages, versions


def accesses(*lines: tuple[int, int, int, str]) -> Accesses:
    """Return accesses from (key, rank, time, mode)."""
    key, rank, time = (np.array([line[i] for line in lines], np.int64) for i in range(3))
    reads, writes = (np.array([mode in line[3] for line in lines]) for mode in "RW")
    return Accesses(key, rank, time, reads, writes)


def messages(*lines: tuple[int, int, int, int, int]) -> Messages:
    """Return messages from (key, source, target, sent, received)."""
    return Messages(*(np.array([line[i] for line in lines], np.int64) for i in range(5)))


def test_a_message_carries_the_version_of_its_sender():
    used = accesses((0, 0, 10, "W"), (0, 1, 50, "R"), (0, 0, 60, "RW"), (0, 1, 90, "R"))
    sent = messages((0, 0, 1, 20, 30), (0, 0, 1, 70, 80))
    read, made, carried = versions(used, sent, np.array([0]))
    assert read.tolist() == [0, 1, 1, 2]
    assert made.tolist() == [1, 0, 2, 0]
    assert carried.tolist() == [1, 2]


def test_a_version_passes_through_a_rank_that_did_not_make_it():
    used = accesses((0, 0, 10, "W"), (0, 2, 90, "R"))
    sent = messages((0, 0, 1, 20, 30), (0, 1, 2, 40, 50))
    read, _, carried = versions(used, sent, np.array([0]))
    assert (read.tolist(), carried.tolist()) == ([0, 1], [1, 1])


def test_clocks_of_ranks_may_differ():
    used = accesses((0, 0, 1000, "W"), (0, 1, 50, "R"))
    read, _, carried = versions(used, messages((0, 0, 1, 1100, 40)), np.array([0]))
    assert (read.tolist(), carried.tolist()) == ([0, 1], [1])


def test_without_messages_a_far_reader_reads_the_latest():
    used = accesses((0, 0, 10, "W"), (0, 0, 20, "RW"), (0, 1, 15, "R"), (0, 1, 30, "R"))
    read, _, _ = versions(used, messages(), np.array([0]))
    assert read.tolist() == [0, 1, 1, 2]


def test_nothing_gives_nothing():
    read, made, carried = versions(accesses(), messages(), np.array([], np.int64))
    assert [len(part) for part in (read, made, carried)] == [0, 0, 0]
