"""Files that pwh does not read: what they are, by their first bytes or name, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.printed_profiles import PROFILES
from ingest.printed_results import RESULTS
from ingest.signature import Signature

if TYPE_CHECKING:
    from ingest.base import Head

_RECORD = "pwh reads what profilers write about it, not the program itself."
_PICTURE = "pwh reads the numbers behind a picture: export them as CSV."
_LITTLE_ENDIAN = (b"\x01\x01\x01\0", b"\x02\x01\x01\0", b"\x02\x01\x01\x03")  # 32, 64 bits; GNU
# A packet with a snapshot of clocks, the first that its service writes: number and time of each.
_CLOCK = r"\n[\x04-\x10]\x08[\x01-\x0a]\x10(?s:.{1,10}?)"
_CLOCKS_OF_PERFETTO = rf"\A\n(?s:.{{1,2}})2(?s:.{{1,2}})(?:\x10(?s:.))?(?:{_CLOCK}){{3}}"
PERFETTO = Signature(
    "a trace of Perfetto",
    "Put Perfetto's trace_processor on the PATH and ingest it again, or convert it: "
    "traceconv json FILE NEW.json",
    (),
    (".perfetto-trace", ".pftrace"),
    text=_CLOCKS_OF_PERFETTO,
)
_UNPACK = "Unpack it, and ingest the folder: "


TAR = Signature("a tar archive", _UNPACK + "tar xf FILE", (b"ustar",), offset=257)
# More particular kinds first: many recordings are zip archives, ELF files or SQLite databases.
SIGNATURES: tuple[Signature, ...] = (
    Signature(
        "a recording of Linux perf (perf.data)",
        "Convert it where it was recorded: perf script -i FILE > NEW.txt",
        (b"PERFILE2", b"2ELIFREP", b"PERFFILE"),
    ),
    Signature(
        "gprof's raw profile (gmon.out)",
        "Put it next to the program that wrote it, where gprof is installed, or convert it: "
        "gprof PROGRAM FILE > NEW.txt",
        (b"gmon\x01", b"gmon\0\0\0\x01"),
    ),
    Signature(
        "a recording of Java Flight Recorder",
        "Print its samples: jfr print --json --stack-depth 64 --events jdk.ExecutionSample FILE > "
        "NEW.json, or convert it to folded stacks with async-profiler: jfrconv -o collapsed FILE "
        "NEW.txt",
        (b"FLR\0",),
        (".jfr",),
    ),
    Signature(
        "a recording of memray",
        "It has bytes, no times: record a profile with py-spy or cProfile.",
        (b"memray\0",),
        text=r"\A\x04\"M\x18(?s:.{1,30})memray\0",
    ),
    Signature(
        "a recording of uftrace",
        "Let it dump its folder: uftrace dump -d FOLDER --chrome > NEW.json",
        (b"Ftrace!",),
    ),
    Signature(
        "a heap dump of Java",
        "It contains no times: record a profile with async-profiler or JFR.",
        (b"JAVA PROFILE 1.0",),
        (".hprof",),
    ),
    Signature(
        "a report of Nsight Systems",
        "Convert it: nsys export --type sqlite FILE",
        (),
        (".nsys-rep", ".qdrep"),
    ),
    Signature(
        "a report of Nsight Compute",
        "Convert it: ncu --import FILE --csv --page raw > NEW.csv",
        (b"NVR\0",),
        (".ncu-rep", ".nsight-cuprof-report"),
    ),
    Signature(
        "a result of Intel VTune",
        "Convert its folder: vtune -report hotspots -r FOLDER -format csv -csv-delimiter comma > "
        "NEW.csv, and name the columns function and seconds.",
        (),
        (".vtune", ".amplxe"),
    ),
    Signature(
        "a part of an HPCToolkit database",
        "Ingest its folder: meta.db with profile.db, or experiment.xml, has the call paths.",
        (b"HPCTOOLKIT", b"HPCPROF"),
    ),
    Signature(
        "a measurement of HPCToolkit",
        "Make a database of its folder, and ingest that: hpcprof -o NEW FOLDER",
        (b"HPCRUN",),
        (".hpcrun",),
    ),
    Signature(
        "a part of a trace in OTF2",
        "Ingest the anchor file that it belongs to: traces.otf2",
        (b"\x03B\x01\0\0\0\0\0", b"\x03B\0\0\0\0\0\0"),
    ),
    PERFETTO,
    Signature(
        "a profile of XLA (xplane.pb)",
        "Ingest the trace that JAX and TensorFlow write beside it: HOST.trace.json.gz",
        (),
        (".xplane.pb",),
    ),
    Signature(
        "a log of Darshan",
        "Convert it: darshan-parser FILE > NEW.txt",
        (),
        (".darshan",),
    ),
    Signature(
        "a trace of Linux ftrace (trace-cmd)",
        "Convert it: trace-cmd report FILE > NEW.txt; pwh reads none of it yet.",
        (b"\x17\x08Dtracing",),
    ),
    Signature(
        "the metadata of a CTF trace (LTTng)",
        "Convert its folder: babeltrace2 FOLDER > NEW.txt; pwh reads none of it yet.",
        (b"/* CTF 1.8 */",),
    ),
    Signature(
        "an execution trace of Go",
        "Convert it: go tool trace -pprof=sync FILE > NEW.pprof; times of functions are in CPU "
        "profiles (go test -cpuprofile).",
        tuple(b"go 1.%d trace\0" % minor for minor in range(5, 60)),
    ),
    Signature(
        "a capture of Tracy",
        "Convert it: tracy-csvexport FILE > NEW.csv, and name the columns function and seconds.",
        (b"tracy\0", b"TRACY", b"tlZ\x04"),
        (".tracy",),
    ),
    Signature(
        "a trace of Paraver",
        "pwh reads none of it yet: export a profile table from Paraver as CSV.",
        (b"#Paraver",),
    ),
    Signature(
        "a recording of Apple's Instruments",
        "Convert it: xctrace export --input FILE --xpath ... --output NEW.xml; pwh reads none of "
        "it yet.",
        (),
        (".trace.zip", ".tracetemplate"),
    ),
    Signature(
        "a trace of Windows (ETW)",
        "Convert it with wpaexporter to CSV, and name its columns as those of a landing table.",
        (),
        (".etl",),
    ),
    Signature(
        "a raw profile of LLVM's instrumentation",
        "It counts how often code ran, not how long: record times with perf or gprof.",
        (b"\x81rforpl\xff", b"\xfflprofr\x81", b"\xfflprofi\x81"),
        (".profraw", ".profdata"),
    ),
    Signature(
        "coverage counts of gcc, Go or lcov",
        "It counts how often code ran, not how long: record times with perf, gprof -pg or pprof.",
        (b"adcg", b"gcda", b"oncg", b"gcno"),
        text=r'\A(?: +-: +0:Source:|\{"(?:gcc|format)_version":|mode: (?:set|count|atomic)$|TN:)',
    ),
    Signature(
        "an experiment that Extra-P saved",
        "Unpack it: unzip FILE; experiment.json has its models, and the measurements it was made "
        "of can be ingested.",
        (),
        (".extra-p",),
    ),
    Signature(
        "a DuckDB database",
        "Where it is a warehouse, name it: pwh --db FILE. Of another, write a table as Parquet: "
        "COPY name TO 'NEW.parquet'",
        (b"DUCK",),
        offset=8,
    ),
    Signature(
        "a SQLite database",
        "Write the table as CSV: sqlite3 -csv -header FILE 'SELECT ...' > NEW.csv",
        (b"SQLite format 3\0",),
    ),
    Signature(
        "an HDF5 file",
        "Write the table as Parquet: pandas.read_hdf(FILE, KEY).to_parquet(NEW)",
        (b"\x89HDF\r\n\x1a\n",),
    ),
    Signature(
        "an array of NumPy",
        "Write it as CSV or Parquet with named columns.",
        (b"\x93NUMPY",),
    ),
    Signature(
        "pickled Python objects",
        "pwh never unpickles, as that runs code: write them as CSV, Parquet or JSON.",
        (b"\x80\x02", b"\x80\x03", b"\x80\x04\x95", b"\x80\x05\x95"),
        (".pkl", ".pickle"),
    ),
    Signature(
        "marshalled objects of Ruby (stackprof)",
        "pwh never loads them: stackprof --stackcollapse FILE > NEW.folded",
        (b"\x04\x08{", b"\x04\x08["),
    ),
    Signature(
        "a spreadsheet",
        "Save its table as CSV.",
        (),
        (".xlsx", ".xls", ".ods"),
    ),
    Signature(
        "a core dump",
        "It shows where a program stopped, not where time went: record a profile.",
        tuple(b"\x7fELF" + kind + b"\0" * 8 + b"\x04\0" for kind in _LITTLE_ENDIAN),
    ),
    Signature("a program or a library (ELF)", _RECORD, (b"\x7fELF",)),
    Signature("a program for Windows", _RECORD, (b"MZ\x90\0", b"MZx\0", b"MZ\0")),
    Signature(
        "a program for macOS, or a class of Java",
        _RECORD,
        (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"),
    ),
    TAR,
    Signature("a zip archive", _UNPACK + "unzip FILE", (b"PK\x03\x04", b"PK\x05\x06")),
    Signature("a 7z archive", _UNPACK + "7z x FILE", (b"7z\xbc\xaf\x27\x1c",)),
    Signature("a rar archive", _UNPACK + "unrar x FILE", (b"Rar!\x1a\x07",)),
    Signature(
        "compressed with bzip2",
        "Unpack it: bunzip2 FILE",
        tuple(b"BZh%d1AY&SY" % size for size in range(1, 10)),
    ),
    Signature("compressed with lz4", "Unpack it: unlz4 FILE", (b"\x04\x22\x4d\x18",)),
    Signature("compressed with compress", "Unpack it: uncompress FILE", (b"\x1f\x9d",)),
    Signature("a picture", _PICTURE, (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"<svg")),
    Signature("a PDF document", _PICTURE, (b"%PDF-",)),
)


def signature_of(head: Head) -> Signature | None:
    """Return the first kind that a file is of; None where it is of none that is known."""
    return next((one for one in (*SIGNATURES, *PROFILES, *RESULTS) if one.fits(head)), None)
