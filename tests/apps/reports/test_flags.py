"""Flags have one table of texts, which SQL and reports fill in alike."""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import warehouse as pwh
from apps.reports.flags import first_text, flag_labels, flag_text
from udfs.throughput.support import ASSUMED_ADDRESSES, NO_PREDICTION, POOR_SUPPORT
from warehouse import sqlfiles

with (sqlfiles.SQL / "reference" / "flag_texts.csv").open(encoding="utf-8", newline="") as file:
    TEXTS = [(row["code"], row["text"]) for row in csv.DictReader(file)]
UDFS = Path(__file__).parents[3] / "udfs"
_MAKES = re.compile(r"_flag\('(\w+)'(?:, (?:args := )?MAP \{((?:[^{}]|\{[^{}]*\})*)\})?\)")
_CODES = re.compile(r"(?:THEN|[\[(,])\s*'(\w+)'")


def arguments(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def made_by_sql() -> Iterator[tuple[str, set[str]]]:
    for path in sorted(sqlfiles.SQL.rglob("*.sql")):
        for code, args in _MAKES.findall(path.read_text(encoding="utf-8")):
            yield code, set(re.findall(r"'(\w+)':", args))


def made_by_functions() -> Iterator[tuple[str, set[str]]]:
    """Yield the codes and arguments of calls of udfs.flags.flag; ** stands for any."""
    for path in sorted(UDFS.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", None) == "flag":
                codes = [n.value for n in ast.walk(call.args[0]) if isinstance(n, ast.Constant)]
                for code in codes:
                    yield code, {word.arg or "**" for word in call.keywords}


def made_without_arguments() -> Iterator[str]:
    """Yield the codes within calls of _flags, of idle intervals and of machine code."""
    for path in sorted(sqlfiles.SQL.rglob("*.sql")):
        text = path.read_text(encoding="utf-8")
        for call in re.finditer(r"(?<!MACRO )\b_flags\(", text):
            yield from _CODES.findall(within(text[call.end() :]))
    idle = sqlfiles.read("derived/idle_8_rows").rpartition("list_filter(")[2]
    yield from _CODES.findall(within(idle))
    yield from (*NO_PREDICTION, POOR_SUPPORT, ASSUMED_ADDRESSES)


def within(text: str) -> str:
    """Return text up to the parenthesis that closes one that is open before it."""
    depth = 1
    for place, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if not depth:
            return text[:place]
    raise AssertionError(text[:80])


def test_every_code_has_one_text():
    codes = [code for code, _ in TEXTS]
    assert len(set(codes)) == len(codes)
    assert len({text for _, text in TEXTS}) == len(codes)
    assert not [text for _, text in TEXTS if not text or text.endswith(".")]


def test_flags_have_texts_and_the_arguments_that_these_name():
    texts = dict(TEXTS)
    made = [
        *made_by_sql(),
        *made_by_functions(),
        *((one, set()) for one in made_without_arguments()),
    ]
    for code, args in made:
        expected = arguments(texts[code])
        assert args - {"**"} <= expected if "**" in args else args == expected, code
    # codes may be computed, but each is written somewhere
    files = [*sqlfiles.SQL.rglob("*.sql"), *UDFS.rglob("*.py")]
    written = "".join(path.read_text(encoding="utf-8") for path in files)
    assert set(texts) <= set(re.findall(r"""['"](\w+)['"]""", written))


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        ({"code": "outlier", "args": {"count": "8"}}, "outlier: the time at 8 is left out"),
        ({"code": "zero_times", "args": {}}, "zero times dropped"),
        # values are taken as they are, whatever they contain
        (
            {"code": "several_problems", "args": {"tags": "{ratio}, $1, \\1, 'x'", "ratio": "2.0"}},
            "perhaps several problems: runs at one count differ in {ratio}, $1, \\1, 'x', "
            "and up to 2.0-fold in time",
        ),
        ({"code": "outlier", "args": {}}, "outlier: the time at {count} is left out"),
        ({"code": "of a newer pwh", "args": {"a": "b"}}, "of a newer pwh"),
        (None, None),
    ],
)
def test_sql_and_reports_say_the_same(warehouse, flag, said):
    assert flag_text(flag) == (said or "")
    code, args = (flag["code"], flag["args"]) if flag else (None, {})
    sql = "SELECT flag_text(CASE WHEN $code IS NOT NULL THEN _flag($code, $args) END)"
    wanted = {"code": code, "args": {"key": [*args], "value": [*args.values()]}}
    assert warehouse.execute(sql, wanted).fetchone() == (said,)


def test_all_texts_are_filled_in_alike(warehouse):
    for code, text in TEXTS:
        args = {name: f"<{name}>" for name in sorted(arguments(text))}
        ((said, listed, codes),) = warehouse.execute(
            "SELECT flag_text(flag), flag_sentences([flag, flag]), flag_codes([flag]) "
            "FROM (SELECT _flag($code, map($names, $values)) AS flag)",
            {"code": code, "names": [*args], "values": [*args.values()]},
        ).fetchall()
        assert said == flag_text({"code": code, "args": args})
        assert (listed, codes) == ([said, said], [code])


def test_a_plain_client_has_texts_of_rows(warehouse, tmp_path):
    path = tmp_path / "plain.duckdb"
    pwh.connect(path).close()
    with duckdb.connect(path) as con:
        con.execute(
            "INSERT INTO scaling_sets (set_id, flags) VALUES (1, []), "
            "(2, [{'code': 'weak_in_part', 'args': MAP {'growth': '0.50'}}])"
        )
        assert con.execute(
            "SELECT set_id, flag_sentences(flags) FROM scaling_sets ORDER BY set_id"
        ).fetchall() == [
            (1, []),
            (2, ["weak scaling in part: the problem grows with the parallelism to the power 0.50"]),
        ]
        assert con.execute(
            "SELECT flag_text(flag) FROM scaling_sets, unnest(flags) AS t (flag)"
        ).fetchall() == [
            ("weak scaling in part: the problem grows with the parallelism to the power 0.50",)
        ]


def test_tables_have_the_short_form_of_each_kind_once():
    flags = [
        {"code": "no_model_zero", "args": {}},
        {"code": "zero_times", "args": {}},
        {"code": "no_model_few_counts", "args": {"counts": "2"}},
    ]
    assert flag_labels(flags) == "no model, zero times dropped"
    assert flag_labels([]) is flag_labels(None) is None
    assert first_text(flags, {"zero_times"}) == "zero times dropped"
    assert first_text(flags, {"outlier"}) is None
