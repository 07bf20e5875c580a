"""Errors that only their texts tell apart: all that pwh knows of the words of DuckDB's messages.

DuckDB 1.5.5 has classes for kinds of errors, which count where they are enough. But one IOException
is a lock, a full disk, a damaged file or a server that does not answer; an error over CSV has its
line and column in the text alone; quack sends a message without its class. Tests cause each of
these errors, so that they fail where another version of DuckDB words one otherwise.
"""

from __future__ import annotations

import re

CLASS = re.compile(r"^[A-Z][\w ]+ Error: ")
"""How DuckDB begins every message."""
FUNCTION = re.compile(
    r"Invalid Input Error: Python exception occurred while executing the UDF: "
    r"(?:\w+: )?(.*?)(?:\n\nAt:\n.*)?$",
    re.DOTALL,
)
INTERRUPTED = "Query interrupted"
"""Ctrl-C, or an interruption while a Python function runs: a RuntimeError."""
READ_ONLY = "read-only"

# Files of warehouses.
LOCKED = "Could not set lock on file"
HOLDER = re.compile(r"Conflicting lock is held in (.+?) \(PID (\d+)\)")
OTHER_MODE = "different configuration"
NOT_REPLAYED = "no default database set"
NO_DATABASE = "not a valid DuckDB database"
DATA_FILE = "Cannot launch in-memory database"
"""DuckDB takes tables, such as CSV files, for a database in memory."""
DAMAGE = re.compile(
    r"corrupt|checksum|could not read enough bytes|written with a mode|failed to deserialize|"
    r"invalid (?:block|unsupported)|read out of range|out of range of the file|"
    r"failed to load metadata pointer|database has been invalidated",
    re.IGNORECASE,
)
NO_SPACE = re.compile("No space left|File too large|quota exceeded", re.IGNORECASE)
OUT_OF_MEMORY = re.compile(
    r"\bout of memory\b|(?:failed to|could not) (?:re)?allocate|bad[ _]alloc|allocation failure",
    re.IGNORECASE,
)
"""In errors of several classes: a commit that fails is fatal, whatever the reason."""
MEMORY_LIMIT = re.compile(r"\(([\d.]+ \w+)/([\d.]+ \w+) used\)")

# Lakes: of DuckLake, and of PostgreSQL through DuckDB's extension.
ABSENT = "explicitly disabled"
NO_DATA_PATH = "data_path is not set"
NO_SNAPSHOT = "No snapshot found"
OTHER_DATA_PATH = "does not match existing data path"
OTHER_DUCKLAKE = "MIGRATE"
CONFLICT = "Transaction conflict"
LOST = re.compile(
    r"Unable to connect to Postgres|Failed to (?:prepare|execute) \w+ \"|(?:from|for) DuckLake: |"
    r"server closed the connection|terminating connection",
)
"""What stands before the reason where PostgreSQL does not answer."""
SERVER_ANSWERED = re.compile(r"ERROR:  (.{1,300})")
FILE_OF_LAKE = re.compile(r"ducklake-[\da-f]{8}-[\da-f-]{27}")

# Recordings.
CSV_LINE = re.compile(r"CSV Error on Line: (\d+)")
CSV_VALUE = re.compile(
    r"Error when converting column \"(.+?)\"\. Could not convert string \"(.*?)\" to '(\w+)'",
    re.DOTALL,
)
CSV_COLUMNS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
LONG_LINE = "Maximum line size of"
SPLIT_LINE = "The Parallel CSV Reader"
"""DuckDB's threads disagree where lines begin."""
MIXED_LINE_ENDS = "state machine reached an invalid state"
OPEN_QUOTE = "unterminated quote"
NOT_UTF8 = "unicode"
RANGE = re.compile(
    r"with value (\S+) can't be cast because the value is out of range for the destination type "
    r"(\w+)(?: when casting from source column (.+))?"
)
OVERFLOW = re.compile(r"Overflow in \w+ of U?INT(\d+) \((.+)\)")
NOT_NULL = re.compile(r"NOT NULL constraint failed: \w+\.(\w+)")
IN_PARQUET = re.compile(
    r"parquet|bitpacked|the file might be corrupted|corrupted file\?|thrift", re.IGNORECASE
)
"""Damage of a recording, not of the warehouse."""

# Servers: quack returns the message of an error, and not its class.
CLASSES = (
    (
        "ConstraintException",
        "Constraint",
        r"^(Duplicate key|NOT NULL constraint|CHECK constraint|Constraint)",
    ),
    ("CatalogException", "Catalog", r"^[\w ]+ with name .* (does not|already) exist"),
    ("BinderException", "Binder", r"^(Referenced|Ambiguous|No function matches)|not found in FROM"),
    ("OutOfRangeException", "Out of Range", r"^Overflow|out of range"),
    ("OutOfMemoryException", "Out of Memory", r"^(could not|failed to) (allocate|pin|offload)"),
    ("ParserException", "Parser", r"^syntax error"),
    (
        "ConversionException",
        "Conversion",
        r"^Could not convert|Unimplemented type for cast|can't be cast",
    ),
)
OTHER_CLIENT = re.compile(
    r"^Conflict on|write-write conflict|Duplicate key \"(source_id|run_id): ", re.IGNORECASE
)
"""What only transactions of other clients can cause: pwh looks first what has landed."""
REFUSED = "Authorization failed"
WRONG_TOKEN = "Authentication failed"  # noqa: S105  no token
NO_SESSION = "Connection does not exist"
UNREACHABLE = re.compile(
    r"failed to send message|could not (establish|connect|resolve)|connection (refused|reset)",
    re.IGNORECASE,
)
AROUND_REASON = re.compile(r"^(.*: )?(IO|HTTP) Error: |( error)? for HTTP POST to .*$")
PROXY_ANSWERED = re.compile(r"returned HTTP \d{3}")
CERTIFICATE = re.compile(r"SSL|certificate", re.IGNORECASE)
OWN_LINE = re.compile(r"\n\nLINE \d+: .*$", re.DOTALL)
"""A line of the statement around the one that was sent."""
