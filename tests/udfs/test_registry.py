"""The tuple of functions for SQL: names that agree with Python, descriptions, no heavy imports."""

from __future__ import annotations

import inspect
import subprocess
import sys

import duckdb
import pyarrow as pa
import pytest

from udfs import UDFS
from udfs.arrow import arrow_type, returned
from udfs.udf import Parameter, Udf


@pytest.mark.parametrize("udf", UDFS, ids=lambda udf: udf.name)
def test_parameters_are_those_of_the_python_function(udf):
    parameters = inspect.signature(udf.function).parameters.values()
    assert [parameter.name for parameter in udf.parameters] == [p.name for p in parameters]
    optional = [p.name for p in parameters if p.default is not inspect.Parameter.empty]
    assert [p.name for p in udf.parameters if p.default is not None] == optional


@pytest.mark.parametrize("udf", UDFS, ids=lambda udf: udf.name)
def test_every_function_has_a_description_of_one_sentence(udf):
    assert udf.description.endswith(".")
    assert ". " not in udf.description
    assert udf.description[0].isupper()


def test_names_are_unique():
    assert len({udf.name for udf in UDFS}) == len(UDFS)


def test_signatures_name_types_and_defaults():
    signatures = {udf.name: udf.signature for udf in UDFS}
    assert signatures["detect_changes"] == "detect_changes(values DOUBLE[])"
    assert signatures["cluster_clara"] == (
        "cluster_clara(points DOUBLE[][], k INTEGER, seed INTEGER DEFAULT 0)"
    )


def test_functions_that_need_a_loaded_model_are_not_public():
    inner = {udf.name for udf in UDFS if not udf.public}
    assert {udf.name for udf in UDFS if any(p.name == "model" for p in udf.parameters)} < inner
    assert "load_model" in inner


def test_listing_the_functions_imports_no_array_library():
    code = (
        "import sys, udfs; [(udf.signature, udf.description) for udf in udfs.UDFS]; "
        "print(*{'numpy', 'pyarrow', 'duckdb', 'scipy', 'torch'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_sql_types_are_those_of_arrow():
    found = arrow_type('STRUCT("order" INTEGER[], args MAP(VARCHAR, STRUCT(a DOUBLE, b FLOAT)))[]')
    inner = pa.struct([("a", pa.float64()), ("b", pa.float32())])
    assert found == pa.list_(
        pa.struct([("order", pa.list_(pa.int32())), ("args", pa.map_(pa.string(), inner))])
    )


@pytest.mark.parametrize("udf", UDFS, ids=lambda udf: udf.name)
def test_duckdb_reads_declared_types_as_pwh_does(udf):
    with duckdb.connect() as con:
        empty = con.execute(f"SELECT CAST(NULL AS {udf.returns}) AS x").to_arrow_table()
    assert empty.schema.field("x").type == returned(udf.name)


def test_a_signature_has_nested_types_and_defaults():
    text = "f(a STRUCT(x MAP(VARCHAR, DOUBLE), y DOUBLE[])[], b INTEGER DEFAULT 3)"
    udf = Udf(text, "udfs.statistics", "DOUBLE", "")
    assert (udf.name, udf.has_optional) == ("f", True)
    kind = "STRUCT(x MAP(VARCHAR, DOUBLE), y DOUBLE[])[]"
    assert udf.parameters == [Parameter("a", kind), Parameter("b", "INTEGER", "3")]
    assert Udf("g()", "udfs.statistics", "DOUBLE", "").parameters == []
