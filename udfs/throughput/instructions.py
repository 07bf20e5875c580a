"""The properties of one instruction that the models need."""

from __future__ import annotations

from typing import NamedTuple

# Register numbers of the simulation. There are two flags: carry, and all others; x87's stack is
# treated as fixed. NOWHERE is always ready, SINK is written but never read.
FLAG_C, FLAG_Z, VECTORS, X87, NOWHERE, SINK, REGISTERS = 16, 17, 18, 50, 58, 59, 60
RSP, RSI, RDI = 4, 6, 7  # numbers of the encoding
CONSTANT, MEMORY = -1, -2  # sources and targets that are no registers


class Place(NamedTuple):
    """A memory operand: its registers (NOWHERE for none), and its size in bytes."""

    base: int
    index_register: int
    scale: int
    offset: int
    size: int


class Action(NamedTuple):
    """The operation of an instruction: name, target and source with sizes in bytes, constant.

    Target and source are integer registers or MEMORY, the source CONSTANT where it is one.
    """

    operation: str
    target: int
    size: int
    source: int
    source_size: int
    constant: int
    place: Place | None


class Instruction(NamedTuple):
    """The properties of an instruction that the models need.

    `name` as in the table of the core, `form` mnemonic and kinds of operands (iced_x86.Code),
    `form_name` as tables of cores name it (empty where it only accesses memory),
    `length` bytes, `operand` and `wide` bytes of the first operand and of the widest vector;
    `unit`, `uops`, `latency`, `busy` as in `x86_core.Cost`, `macro` operations of the front end,
    `least_share`, `least_latency` and `least_extra` for bounds;
    the registers of addresses, registers read as data, registers written; `action` None where the
    result is not emulated; `written` integer registers, `moved` what the instruction
    adds to the stack pointer, `pops` what it takes from the stack of x87 (below 0 where it pushes;
    None of other instructions). `pushes` is True for all stack instructions, `frames` for other
    users of the stack pointer. `support` is the flag of `udfs.throughput.support`, or empty. The
    defaults are those of an instruction that does nothing.
    """

    name: str = ""
    form: int = 0
    form_name: str = ""
    length: int = 0
    unit: str = "none"
    uops: int = 0
    latency: int = 0
    busy: int = 1
    macro: int = 0
    least_share: float = 1.0
    least_latency: int = 0
    least_extra: int = 0
    address: tuple[int, ...] = ()
    sources: tuple[int, ...] = ()
    targets: tuple[int, ...] = ()
    loads: tuple[Place, ...] = ()
    stores: tuple[Place, ...] = ()
    action: Action | None = None
    written: tuple[int, ...] = ()
    moved: int = 0
    pops: int | None = None
    eliminated: bool = False
    idiom: bool = False
    vector: bool = False
    wide: int = 0
    kind: str = "other"
    operand: int = 0
    locked: bool = False
    repeated: bool = False
    pushes: bool = False
    frames: bool = False
    support: str = ""


# Used for operations of the front end, and for padding.
NOTHING = Instruction()
