"""The colours of charts, timelines and pictures, and what they stand for.

Each is at least 3 to 1 against the white page and against the dark one (WCAG 2.2, 1.4.11), and each
two are 15 apart in CIEDE2000, also as seen with deuteranopia (Machado et al., 2009). Seven is what
fits between these bounds; where there are more things, texture tells them apart.
"""

from __future__ import annotations

BLUE, BROWN, GREEN = "#1059dc", "#96570d", "#057252"
RED, PINK, SKY, GREY = "#fd5c03", "#a1397e", "#249be2", "#939494"
PALETTE = (BLUE, RED, GREEN, PINK, SKY, BROWN, GREY)
BETTER, WORSE, NEUTRAL = GREEN, RED, GREY
DARK_PAGE, DARK_SIDEBAR = "#0e1117", "#1a1d24"
# Text on white: also at six tenths of its strength, as captions are, 4.5 to 1.
TEXT, SOFT_TEXT, DARK_SOFT_TEXT = "#15171e", "#5b5f68", "#b4b8c0"
# The text on the lighter colours, white being that on the others.
INK = "#1c1c1c"

# Of the time of a worker: colour and texture.
WORKER_CAUSES = {
    "busy": (GREY, "plain"),
    "starvation": (RED, "plain"),
    "latency": (BLUE, "stripes"),
    "overhead": (BROWN, "dots"),
    "not recorded": (SKY, "plain"),
    "after last task": (PINK, "stripes"),
}
CAUSES = {cause: colour for cause, (colour, _) in WORKER_CAUSES.items()}
# Of the classes of bottlenecks.
CLASSES = {
    "Balance": GREEN,
    "Mem": RED,
    "DTB": BROWN,
    "ICache": PINK,
    "DMA": SKY,
    "Other": BLUE,
    "Unknown": GREY,
}
# Of what a device waits for, and of what its threads do: colour and texture. There are more of them
# than colours.
DEVICE_CAUSES = {
    "busy": (GREY, "plain"),
    "sync": (RED, "plain"),
    "copy": (BLUE, "stripes"),
    "memory": (PINK, "plain"),
    "launch": (BROWN, "plain"),
    "operators": (BROWN, "stripes"),
    "python": (PINK, "stripes"),
    "unrecorded": (SKY, "dots"),
    "call": (SKY, "stripes"),
    "device": (GREEN, "plain"),
    "unknown": (GREY, "dots"),
    "thread": (GREY, "stripes"),
    "launching call": (BLUE, "plain"),
}


def text_on(colour: str) -> str:
    """Return the colour of text on a box of one of the colours: 4.5 to 1."""
    return INK if colour in (RED, SKY, GREY) else "#ffffff"
