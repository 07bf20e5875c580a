"""The rules that rows of landing tables have to keep, from the tables in `sql/checks`.

- `bounds.csv`: the lowest and highest value of a column (of a list: of its elements), and whether
  it has to be finite.
- `conditions.csv`: what is true of a row that breaks a rule; NULL counts as false.
- `keys.csv`: columns whose values differ between the rows of one run.
- `references.csv`: columns whose values another table lists, where the same source fills it. A
  lenient check counts the rows that break such a rule and accepts them.

Text is at most 64 KiB long and a call path 1 MiB: beyond, a file is not what it seems to be.

`problem` is the SQL of the message about a row that breaks the rule. Names of tables and columns,
and this SQL, are put into the statements: they are pwh's own, never a file's.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from warehouse import sqlfiles
from warehouse.catalog import landing
from warehouse.errors import InputError
from warehouse.session import Connection

# Names are compared by hash, because 10^7 hashes fit where 10^7 names of tasks do not. Names that
# share a hash are then compared themselves; an unknown name with the hash of a known one is missed.
_FIRST_REPEATED = """
    SELECT min(last) FROM (
        SELECT max(rowid) AS last FROM {table}
        WHERE source_id = $source_id AND hash(run_id, {column}) IN (
            SELECT hash(run_id, {column}) AS h FROM {table} WHERE source_id = $source_id
            GROUP BY h HAVING count(*) > 1
        )
        GROUP BY run_id, {column} HAVING count(*) > 1
    )
"""
_TAKEN = """
    SELECT {column}, run_id FROM {table}
    WHERE source_id = $source_id AND hash(run_id, {column}) IN (
        SELECT hash(run_id, {column}) FROM {table}
        WHERE source_id IN (SELECT unnest($others))
    )
    ORDER BY rowid LIMIT 1
"""
_UNKNOWN = """
    WITH listed AS (
        SELECT hash(run_id, {known_column}) AS h FROM {known} WHERE source_id = $source_id
    )
    SELECT {found} FROM {table}
    WHERE source_id = $source_id AND {column} IS NOT NULL
        AND EXISTS (FROM listed) AND hash(run_id, {column}) NOT IN (FROM listed)
"""
# The same of several sources at once, without the row: those in which a name may be there twice, or
# be of nothing that they list.
_ANY_REPEATED = """
    SELECT '{table}' AS of_table, source_id FROM {table} WHERE {{sources}}
    GROUP BY source_id, hash(run_id, {column}) HAVING count(*) > 1
"""
_ANY_UNKNOWN = """
    SELECT '{table}' AS of_table, source_id FROM {table}
    WHERE {{sources}} AND {column} IS NOT NULL
        AND source_id IN (SELECT source_id FROM {known} WHERE {{sources}})
        AND hash(source_id, run_id, {column})
            NOT IN (SELECT hash(source_id, run_id, {known_column}) FROM {known} WHERE {{sources}})
"""
_CODE = "hex"
_LONGEST_NAME = 1 << 16
_LONGEST = {"callpath": 1 << 20}
_MANY = 1_000_000
_TRUNCATED = (
    "Is the trace truncated? pwh ingest --lenient takes what it does not list for unknown, and "
    "flags and counts it."
)


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule, the SQL conditions on a row that breaks it, and the SQL that finds the first such.

    Rules about single rows have `broken`, of which one condition is enough; others have `first`,
    and `suspects`, the SQL that finds the sources that may break them. Rules about references also
    have the `column` that refers and `count`, the SQL that counts the rows that break them.
    """

    problem: str
    expected: str
    broken: tuple[str, ...] = ()
    first: str = ""
    suspects: str = ""
    column: str = ""
    count: str = ""


def to_check(con: Connection, rows: Mapping[str, Mapping[int, int]]) -> list[tuple[str, int]]:
    """Return table and source of the rows in which `check_rows` may find something: mostly none.

    `rows` is how many there are, by table and source. One statement looks at all that are few, as
    to plan one for each rule takes longer than to run it. Those that are many are all returned.
    """
    branches: list[str] = []
    found: set[tuple[str, int]] = set()
    for table, counts in rows.items():
        many = {one for one, count in counts.items() if count > _MANY}
        found |= {(table, one) for one in many}
        if few := counts.keys() - many:
            branches += _suspects(table, sqlfiles.of_sources(sorted(few)))
    if branches:
        sql = f"SELECT DISTINCT of_table, source_id FROM ({' UNION ALL '.join(branches)})"
        found |= set(con.execute(sql).fetchall())
    return [
        (table, one) for table, counts in rows.items() for one in counts if (table, one) in found
    ]


def _suspects(table: str, sources: str) -> Iterator[str]:
    """Yield SQL that finds which of the sources may break rules of a table."""
    rules = _rules().get(table, ())
    if conditions := [condition for rule in rules for condition in rule.broken]:
        yield (
            f"SELECT '{table}' AS of_table, source_id FROM {table} "
            f"WHERE {sources} AND ({_any(conditions)})"
        )
    for rule in rules:
        if rule.suspects:
            yield rule.suspects.format(sources=sources)


def check_rows(
    con: Connection, table: str, source_id: int, *, rows: int = 0, lenient: bool = False
) -> dict[str, int]:
    """Raise `InputError` for the first row of a source that breaks a rule of its table.

    `rows` is how many there are, which decides only how to look for it.
    A lenient check accepts references to what the source does not list; it returns how many rows
    have one, by `table.column`.
    """
    source = {"source_id": source_id}
    found: list[tuple[int, _Rule]] = []
    unlisted: dict[str, int] = {}
    rules = _rules().get(table, ())
    if of_rows := [rule for rule in rules if rule.broken]:
        row_id = _number(con, _first_of_any(table, of_rows, rows), source)
        if row_id is not None:
            found.append((row_id, _first_broken(con, table, row_id, of_rows)))
    for rule in rules:
        if lenient and rule.count:
            if count := _number(con, rule.count, source):
                unlisted[f"{table}.{rule.column}"] = count
        elif rule.first and (row_id := _number(con, rule.first, source)) is not None:
            found.append((row_id, rule))
    if found:
        row_id, rule = min(found, key=lambda pair: pair[0])
        begin = _number(con, f"SELECT min(rowid) FROM {table} WHERE source_id = $source_id", source)
        raise InputError(
            _message(con, table, row_id, rule),
            where=f"row {row_id - (begin or 0) + 1} of {table}",
            expected=rule.expected,
            hint=_TRUNCATED if rule.count else None,
        )
    return unlisted


def check_keys(con: Connection, table: str, source_id: int, others: Sequence[int]) -> None:
    """Raise `InputError` for the first key that another source of the same run has, too."""
    for row in _read("keys"):
        if row["table"] != table:
            continue
        params = {"source_id": source_id, "others": list(others)}
        found = con.execute(_TAKEN.format(**row), params).fetchone()
        if found is not None:
            raise InputError(
                f"the run {found[1]} has the {row['column']} {found[0]} from another file",
                where=table,
                expected=f"another {row['column']} in each file of a run",
                hint="Land it as a run of its own: without --run, or with another name.",
            )


def _first_of_any(table: str, rules: Sequence[_Rule], rows: int) -> str:
    """Return the SQL that finds the first row of a source that breaks one of the rules.

    Of many rows each condition is looked for by itself: DuckDB does not read a column of which it
    knows lowest and highest value. Of few rows all at once, as each pass goes over the whole table.
    """
    conditions = [condition for rule in rules for condition in rule.broken]
    passes = conditions if rows > _MANY else [_any(conditions)]
    firsts = (
        f"SELECT min(rowid) AS first FROM {table} WHERE source_id = $source_id AND ({condition})"
        for condition in passes
    )
    return f"SELECT min(first) FROM ({' UNION ALL '.join(firsts)})"


def _any(conditions: Sequence[str]) -> str:
    return " OR ".join(f"({condition})" for condition in conditions)


def _first_broken(con: Connection, table: str, row_id: int, rules: list[_Rule]) -> _Rule:
    """Return the first rule that a row breaks."""
    cases = " ".join(f"WHEN {_any(rule.broken)} THEN {n}" for n, rule in enumerate(rules))
    number = _number(
        con, f"SELECT CASE {cases} END FROM {table} WHERE rowid = $row_id", {"row_id": row_id}
    )
    return rules[number or 0]


def _message(con: Connection, table: str, row_id: int, rule: _Rule) -> str:
    sql = f"SELECT {rule.problem} FROM {table} WHERE rowid = $row_id"
    ((message,),) = con.execute(sql, {"row_id": row_id}).fetchall()
    return str(message)


def _number(con: Connection, sql: str, params: Mapping[str, int]) -> int | None:
    ((number,),) = con.execute(sql, params).fetchall()
    return None if number is None else int(number)


@cache
def _rules() -> dict[str, tuple[_Rule, ...]]:
    """Return the rules by table, in the order in which a row is blamed for breaking them."""
    rules: dict[str, list[_Rule]] = {}
    for table, columns in landing().items():
        names = [column.name for column in columns if column.type == "VARCHAR"]
        rules[table] = [_longest(name) for name in names if name != _CODE]
    for row in _read("bounds"):
        rules.setdefault(row["table"], []).append(_bound(row))
    for row in _read("conditions"):
        rules.setdefault(row["table"], []).append(
            _Rule(row["problem"], row["expected"], broken=(row["broken"],))
        )
    for row in _read("keys"):
        rules.setdefault(row["table"], []).append(
            _Rule(
                row["problem"],
                row["expected"],
                first=_FIRST_REPEATED.format(**row),
                suspects=_ANY_REPEATED.format(**row),
            )
        )
    for row in _read("references"):
        rules.setdefault(row["table"], []).append(
            _Rule(
                row["problem"],
                row["expected"],
                first=_UNKNOWN.format(found="min(rowid)", **row),
                suspects=_ANY_UNKNOWN.format(**row),
                column=row["column"],
                count=_UNKNOWN.format(found="count(*)", **row),
            )
        )
    return {table: tuple(found) for table, found in rules.items()}


def _read(name: str) -> list[dict[str, str]]:
    with (sqlfiles.SQL / "checks" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _longest(column: str) -> _Rule:
    """Return the rule that text is no longer than what a tool writes there."""
    most = _LONGEST.get(column, _LONGEST_NAME)
    problem = f"'the {column} ' || {column}[:40] || ' ... has ' || strlen({column}) || ' bytes'"
    return _Rule(problem, f"at most {most} bytes", broken=(f"strlen({column}) > {most}",))


def _bound(row: Mapping[str, str]) -> _Rule:
    """Return the rule of a row of `bounds.csv`."""
    column = row["column"]
    is_list = any(c.name == column and c.type.endswith("[]") for c in landing()[row["table"]])
    broken = []
    if row["lowest"]:
        lowest = f"list_min({column})" if is_list else column
        broken.append(f"{lowest} < {row['lowest']}")
    elif row["finite"]:
        broken.append(f"{column} = CAST('-inf' AS DOUBLE)")
    if row["highest"]:
        highest = f"list_max({column})" if is_list else column
        broken.append(f"{highest} > {row['highest']}")
    elif row["finite"]:
        # NaN, too, which is above all numbers.
        broken.append(f"{column} >= CAST('inf' AS DOUBLE)")
    problem = row["problem"] or f"CAST({column} AS VARCHAR) || ' in the column {column}'"
    return _Rule(problem, row["expected"], broken=tuple(broken))
