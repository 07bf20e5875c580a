"""An interrupt that waits takes effect, and the handler is as it was before."""

import signal

import pytest

from udfs.interrupts import delayed_interrupts


def test_an_interrupt_takes_effect_at_the_end_of_the_block():
    before, reached = signal.getsignal(signal.SIGINT), False
    with pytest.raises(KeyboardInterrupt), delayed_interrupts():
        signal.raise_signal(signal.SIGINT)
        reached = True
    assert reached and signal.getsignal(signal.SIGINT) is before
