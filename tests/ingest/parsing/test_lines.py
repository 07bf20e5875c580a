"""Lines of text files: split into chunks, numbered, decoded."""

from __future__ import annotations

import gzip
import re

import pytest

from ingest.parsing.lines import Chunk, chunks, first_line, numbered_lines, whole_text
from ingest.recording import Recording
from warehouse.errors import InputError

TEXT = b"one\ntwo\r\n\nfour\n"


def recording(folder, content, name="a.txt"):
    path = folder / name
    path.write_bytes(content)
    return Recording((path,))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_chunks_are_whole_lines_with_the_number_of_the_first(tmp_path, size):
    found = list(chunks(recording(tmp_path, TEXT), size=size))
    assert b"".join(chunk.data for chunk in found) == TEXT
    assert all(chunk.whole for chunk in found)
    before = 0
    for chunk in found:
        assert chunk.first == before + 1
        before += chunk.data.count(b"\n")


@pytest.mark.parametrize("size", [1, 4, 100])
def test_numbered_lines_are_without_their_ends(tmp_path, size, monkeypatch):
    monkeypatch.setattr("ingest.parsing.lines.CHUNK_BYTES", size)
    found = list(numbered_lines(recording(tmp_path, TEXT)))
    assert found == [(1, "one"), (2, "two"), (3, ""), (4, "four")]


def test_compressed_files_are_read_alike(tmp_path):
    found = list(numbered_lines(recording(tmp_path, gzip.compress(TEXT), "a.txt.gz")))
    assert [line for _, line in found] == ["one", "two", "", "four"]


def test_empty_file_has_no_lines(tmp_path):
    assert list(numbered_lines(recording(tmp_path, b""), must_end=True)) == []


def test_only_the_last_chunk_can_lack_its_line_break(tmp_path):
    found = list(chunks(recording(tmp_path, b"one\ntwo"), size=4))
    assert [(chunk.data, chunk.whole) for chunk in found] == [(b"one\n", True), (b"two", False)]


@pytest.mark.parametrize("size", [2, 100])
@pytest.mark.parametrize(
    ("last", "rule"),
    [("thr", re.compile("three").fullmatch), (" ", True), ("a 1.", True), ('a "b', True)],
)
def test_a_last_line_without_end_is_refused_where_it_is_cut(
    tmp_path, last, rule, size, monkeypatch
):
    monkeypatch.setattr("ingest.parsing.lines.CHUNK_BYTES", size)
    lines = numbered_lines(recording(tmp_path, f"one\ntwo\n{last}".encode()), must_end=rule)
    assert [next(lines) for _ in range(3)] == [(1, "one"), (2, "two"), (3, last)]
    with pytest.raises(InputError) as error:
        next(lines)
    assert error.value.where == "line 3"
    assert error.value.problem.startswith("the last line has no end")


@pytest.mark.parametrize("rule", [re.compile("three").fullmatch, True])
def test_a_whole_last_line_without_end_is_noted(tmp_path, rule):
    content = recording(tmp_path, b"one\nthree")
    assert list(numbered_lines(content, must_end=rule)) == [(1, "one"), (2, "three")]
    assert content.unended == {content.path}
    for text in (b"one\nthree\n", b"one\rthree\r", b"three\r\n"):
        content = recording(tmp_path, text)
        assert list(numbered_lines(content, must_end=rule)) and not content.unended


@pytest.mark.parametrize("size", [3, 100])
def test_a_byte_order_mark_at_the_start_is_dropped(tmp_path, size, monkeypatch):
    monkeypatch.setattr("ingest.parsing.lines.CHUNK_BYTES", size)
    found = list(numbered_lines(recording(tmp_path, b"\xef\xbb\xbfone\ntwo\n")))
    assert found == [(1, "one"), (2, "two")]


@pytest.mark.parametrize("size", [4, 100])
def test_bytes_of_other_encodings_are_shown_and_counted(tmp_path, size, monkeypatch):
    monkeypatch.setattr("ingest.parsing.lines.CHUNK_BYTES", size)
    content = recording(tmp_path, "one\ntwo\ncaf\xe9\nfour\n".encode("latin-1"))
    expected = ["one", "two", r"caf\xe9", "four"]
    assert [line for _, line in numbered_lines(content)] == expected
    assert whole_text(content).split() == expected
    assert list(numbered_lines(content))
    with pytest.raises(InputError) as error:
        list(chunks(content, strict=True))
    assert (error.value.where, error.value.problem) == ("line 3", "byte 0xe9 is not text")


def test_bytes_that_are_not_utf_8_are_counted_once(tmp_path):
    content = recording(tmp_path, b"caf\xe9 \xff\n")
    assert list(numbered_lines(content)) == list(numbered_lines(content))
    assert sum(content.escaped.values()) == 2


def test_errors_name_the_part_of_a_recording(tmp_path):
    (tmp_path / "b.txt").write_bytes(b"\xff\xff\n")
    parts = Recording((recording(tmp_path, TEXT).path, tmp_path / "b.txt"))
    with pytest.raises(InputError) as error:
        list(chunks(parts, tmp_path / "b.txt", strict=True))
    assert error.value.path == str(tmp_path / "b.txt")


def test_arrays_have_the_lines_and_their_numbers():
    lines = Chunk(b"a=1\r\nb\nc=3", first=5).array()
    assert lines.text.to_pylist() == ["a=1", "b", "c=3"]
    assert not lines.whole
    matched = lines.match(r"^\w=(?P<value>\d)$").is_valid().to_numpy(zero_copy_only=False)
    assert lines.numbers(matched).tolist() == [5, 7]
    assert lines.line(6) == "b"


def test_whole_text_has_a_limit(tmp_path):
    content = recording(tmp_path, TEXT)
    assert whole_text(content, limit=len(TEXT)) == TEXT.decode()
    with pytest.raises(InputError, match="not plausible"):
        whole_text(content, limit=len(TEXT) - 1)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_first_line_ends_as_lines_do_anywhere(end):
    assert first_line(f"a,b{end}1,2{end}".encode()) == "a,b"
