"""The way to a server is cut: nothing is lost that was reported, nothing lands twice, in words."""

import itertools
import os
import random
import shutil
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest

import warehouse
from tests.helpers.network import Cut, network
from tests.helpers.serving import WRITING, served
from tests.helpers.support import land, rows
from warehouse.address import Served
from warehouse.errors import WarehouseError
from warehouse.quack import client, line

ROWS = 5000


@pytest.fixture(scope="module", autouse=True)
def _token():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PWH_TOKEN", WRITING)
        for name in ("PWH_TOKEN_FILE", "PWH_READ_TOKEN", "PWH_READ_TOKEN_FILE"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="module")
def serving(template, tmp_path_factory):
    file = Path(shutil.copy(template, tmp_path_factory.mktemp("cuts") / "w.duckdb"))
    with served(file, "--silent=1") as serving:
        yield serving


@pytest.fixture(scope="module")
def direct(serving):
    """Return a session that nothing cuts."""
    with warehouse.connect(serving.address) as con:
        yield con


@pytest.fixture
def net(serving, monkeypatch):
    monkeypatch.setattr(line, "GONE_AFTER", 0.3)
    monkeypatch.setattr(client, "_BATCH", 2048)
    with network(int(serving.address.rpartition(":")[2])) as net:
        yield net


def counters(folder, name):
    path = folder / f"{name}.csv"
    lines = "".join(f"{name},cycles,{i},{i}\n" for i in range(ROWS))
    path.write_text(f"run_id,event,value,sample\n{lines}")
    return path


@pytest.mark.parametrize(
    ("cut", "at"),
    [
        (Cut.SILENT, b"INSERT INTO pmu_samples"),
        (Cut.RESET, b"COMMIT"),
        (Cut.ANSWERS, b"COMMIT"),
    ],
)
def test_a_file_lands_once_however_the_network_is_cut(direct, net, tmp_path, cut, at):
    path = counters(tmp_path, cut.name.lower())
    net.cut_at(lambda sent: at in sent, cut)
    with pytest.raises(WarehouseError, match="does not answer") as told:
        land_over(net, path)
    # The answer is lost with or without what it is about.
    assert ("is unknown" in told.value.hint) == (at == b"COMMIT")
    must_land_once(direct, net, path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can close a connection silently")
def test_a_server_whose_host_restarts_within_a_short_cut_keeps_nobody_waiting(net, monkeypatch):
    monkeypatch.setattr(line, "_KEPT_ALIVE", dict.fromkeys(line._KEPT_ALIVE, 1))
    with warehouse.connect(f"quack:127.0.0.1:{net.port}") as con:
        con.execute("BEGIN")
        net.cut_at(lambda sent: b"range(7)" in sent, Cut.FORGOTTEN)
        opened = len(list(Path("/dev/fd").iterdir()))
        with pytest.raises(WarehouseError, match="does not answer") as told:
            con.execute("FROM range(7)")
        assert "has not landed" in told.value.hint
        assert len(list(Path("/dev/fd").iterdir())) <= opened + 2


@pytest.mark.skipif("PWH_KILLS" not in os.environ, reason="of python -m tests.faults")
@pytest.mark.parametrize("number", range(int(os.environ.get("PWH_KILLS", "0"))))
def test_a_network_that_is_cut_at_any_moment(direct, net, tmp_path, number):
    chance = random.Random(number)
    path = counters(tmp_path, f"any{number}")
    cut = chance.choice([Cut.SILENT, Cut.RESET, Cut.ANSWERS])
    # One of the messages of a connection that lands a file, about 90.
    left = itertools.count(chance.randrange(100), -1)
    net.cut_at(lambda _: next(left) == 0, cut)
    reported = False
    with suppress(WarehouseError):
        reported = not land_over(net, path)[0].known
    sql = f"SELECT count(*) FROM sources WHERE path = '{path}'"
    assert not reported or rows(direct, sql) == [(1,)]
    must_land_once(direct, net, path)


def land_over(net, path):
    with warehouse.connect(f"quack:127.0.0.1:{net.port}", wait=30) as con:
        return land(con, path)


def must_land_once(direct, net, path):
    """Mend the network, land a file again, and check that all of its rows are there once."""
    net.cut = Cut.NONE
    land_over(net, path)
    sql = f"SELECT count(*), count(DISTINCT sample) FROM pmu_samples WHERE run_id = '{path.stem}'"
    assert rows(direct, sql) == [(ROWS, ROWS)]
    assert rows(direct, f"SELECT rows FROM sources WHERE path = '{path}'") == [(ROWS,)]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Return a file with a key and the certificate of this computer, signed by itself."""
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("openssl is not installed")
    kind = "-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test"
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", file, "-out", f"{file}.crt"]
    subprocess.run([openssl, "req", *kind.split(), *names], check=True, stderr=subprocess.DEVNULL)
    file.write_text(file.read_text() + Path(f"{file}.crt").read_text())
    return file


def test_tls_is_for_hosts_with_a_certificate_that_is_known(serving, certificate, monkeypatch):
    monkeypatch.setattr(Served, "is_loopback", False)
    port = int(serving.address.rpartition(":")[2])
    with network(port, certificate) as net:
        with pytest.raises(WarehouseError, match=r"certificate[^$]*SSL_CERT_FILE"):
            warehouse.connect(f"quack:127.0.0.1:{net.port}")
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with warehouse.connect(f"quack:127.0.0.1:{net.port}") as con:
            many = con.execute("FROM range(100_000)").fetchall()
            assert len(many) == 100_000
        with pytest.raises(WarehouseError, match="does not answer"):
            # The certificate is of another name.
            warehouse.connect(f"quack:localhost:{net.port}")


def test_an_interruption_waits_for_no_answer(net, monkeypatch):
    # So that the interruption comes while the call waits, not while it tries to reach the server.
    monkeypatch.setattr(line, "GONE_AFTER", 30.0)
    con = warehouse.connect(f"quack:127.0.0.1:{net.port}")
    net.cut_at(lambda sent: b"range(7)" in sent, Cut.SILENT)
    interruption = threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT])
    interruption.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        con.execute("FROM range(7)")
    with pytest.raises(WarehouseError, match="given up"):
        con.execute("SELECT 1")
    con.close()
    assert time.monotonic() - began < client._CLOSE_SECONDS


def test_a_server_that_is_stopped_while_a_client_writes_has_what_was_committed(template, tmp_path):
    file = Path(shutil.copy(template, tmp_path / "w.duckdb"))
    with served(file) as serving, warehouse.connect(serving.address) as con:
        land(con, counters(tmp_path, "whole"))
        con.execute("BEGIN; DELETE FROM pmu_samples")
        assert "served no more" in serving.stop()
        with pytest.raises(WarehouseError, match="does not answer"):
            con.execute("COMMIT")
    assert not Path(f"{file}.wal").exists()
    with duckdb.connect(str(file), read_only=True) as con:
        found = "SELECT run_id, count(*) FROM pmu_samples GROUP BY run_id"
        assert con.execute(found).fetchall() == [("whole", ROWS)]
