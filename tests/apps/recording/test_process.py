"""Programs that pwh runs: times, exit codes, memory, and what reaches them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from apps.recording.process import NotStarted, check_program, execute


def run(*command, attach=lambda pid: None):
    return execute(command, os.environ, 0, attach)


def test_a_program_that_does_nothing_has_small_times_and_memory():
    done = run("true")
    assert done.exit_code == 0 and not done.interrupted
    assert 0 < done.wall and done.user >= 0
    assert 0 <= done.run_delay <= done.wall
    # pwh itself, of which a fork would be a copy, has tens of megabytes.
    assert 0 < done.usage.ru_maxrss < 8000  # KiB


def test_times_are_of_the_program_alone_while_all_processors_are_busy():
    burn = [sys.executable, "-S", "-c", "while True: pass"]
    others = [subprocess.Popen(burn) for _ in range(2 * len(os.sched_getaffinity(0)))]
    try:
        executions = [run("true") for _ in range(100)]
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert all(done.run_delay <= done.wall for done in executions)


def test_memory_is_that_of_the_program():
    done = run(sys.executable, "-S", "-c", "x = bytearray(60_000_000)")
    assert 60_000 < done.usage.ru_maxrss < 120_000  # KiB


@pytest.mark.parametrize(
    ("script", "code"),
    [("exit 7", 7), ("kill -9 $$", 137), ("kill -PIPE $$", 141), ("kill -INT $$", 130)],
)
def test_exit_codes_are_those_of_a_shell(script, code):
    assert run("sh", "-c", script).exit_code == code


def test_arguments_arrive_as_they_are(tmp_path):
    target = tmp_path / "arguments"
    words = ["a b", "q\"u'o", "$HOME", "", "-n", "*", "new\nline", "ü"]
    script = f'for word; do printf "%s\\0" "$word"; done > {target}'
    run("sh", "-c", script, "x", *words)
    assert target.read_bytes().decode().split("\0")[:-1] == words


def test_the_process_begins_after_its_collectors(tmp_path):
    begun = tmp_path / "begun"
    seen = []
    done = run("touch", str(begun), attach=lambda pid: seen.append((pid > 0, begun.exists())))
    assert (seen, begun.exists(), done.exit_code) == ([(True, False)], True, 0)


def test_a_daemon_does_not_keep_pwh_waiting(tmp_path):
    pid = tmp_path / "pid"
    done = run("sh", "-c", f"sleep 60 & echo $! > {pid}")
    os.kill(int(pid.read_text()), signal.SIGKILL)
    assert done.wall < 30


def test_only_standard_descriptors_are_added(tmp_path):
    listed = tmp_path / "listed"
    run("sh", "-c", f"ls /proc/self/fd > {listed}")
    # `ls` itself opens the folder.
    extra = {number for number in map(int, listed.read_text().split()) if number > 3}
    assert all(os.get_inheritable(number) for number in extra if _is_open(number))


def _is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def test_signals_reach_the_program_and_pwh_survives():
    def terminate(pid):
        signal.setitimer(signal.ITIMER_REAL, 0.2)

    before = signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    try:
        done = run("sleep", "60", attach=terminate)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert (done.exit_code, done.interrupted) == (143, True)


def test_programs_that_cannot_be_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text("x")
    (tmp_path / "run").write_text("#!/bin/sh\n")
    (tmp_path / "run").chmod(0o755)
    check_program(["./run"])
    for name, code, words in (
        ("no-such-program", 127, "on PATH"),
        ("./none", 127, "there is no program"),
        ("./text", 126, "not executable"),
        ("./", 126, "is a folder"),
        ("run", 127, "./run"),
    ):
        with pytest.raises(NotStarted) as error:
            check_program([name])
        assert (error.value.exit_code, words in str(error.value)) == (code, True)


def test_an_interrupt_before_the_program_begins(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(
            "touch",
            str(tmp_path / "begun"),
            attach=lambda pid: os.kill(os.getpid(), signal.SIGINT),
        )
    assert not (tmp_path / "begun").exists()


def test_pwh_starts_with_any_number_of_open_files():
    script = (
        "import os; from apps.recording.process import execute\n"
        "for _ in range(9):\n"
        "    execute(['true'], os.environ, 0, lambda pid: None)\n"
        "    os.open('/dev/null', os.O_RDONLY)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
