"""Perfetto's own trace format: track events of tasks, runtime work and idle time, and counters.

Source: perfetto.dev, "Synthetic Track Event", and trace_packet.proto, track_event.proto,
track_descriptor.proto. Nodes are processes and workers threads; what the runtime did and why a
worker idled are tracks below its own. Names are interned.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from apps.exports import Exported
from apps.exports.chrome import check_no_event
from apps.exports.timeline import TASK, Counter, Timeline, Track, timeline
from ingest.parsing.carried_tables import MARK
from ingest.parsing.protobuf import messages
from warehouse.session import Connection

# Values of perfetto.dev's enumerations: SequenceFlags, and TrackEvent.Type.
_CLEARED, _NEEDED = 1, 2
_BEGIN, _END, _COUNT = 1, 2, 4


def export(con: Connection, run_id: str, event: str | None) -> Exported:
    """Return a run's timeline; see `apps.exports.export_run`."""
    check_no_event(event)
    return Exported(_Trace().pieces(timeline(con, run_id)), [])


class _Trace:
    """Writes packets of one sequence, whose names are numbered as they are met."""

    def __init__(self) -> None:
        self._kinds = messages("perfetto")
        self._names: dict[str, int] = {}
        self._categories: dict[str, int] = {}
        self._uuid = 0

    def pieces(self, whole: Timeline) -> Iterator[bytes]:
        """Yield the trace in pieces: descriptors before what happens on their tracks."""
        for stream in whole.carried:
            yield self._trace({"landing_table": MARK + stream})
        yield self._piece({"sequence_flags": _CLEARED})
        nodes: dict[str, tuple[int, int]] = {}
        workers: dict[tuple[str, str], int] = {}
        for track in whole.tracks:
            if track.node not in nodes:
                nodes[track.node] = self._next(), len(nodes) + 1
                uuid, pid = nodes[track.node]
                process = {"pid": pid, "process_name": track.node}
                yield self._descriptor(uuid=uuid, process=process)
            node, pid = nodes[track.node]
            worker = track.node, track.worker
            uuid = self._next()
            if track.kind == TASK and track.lane == 0:
                workers[worker] = uuid
                tid = len(workers) + len(whole.tracks)
                thread = {"pid": pid, "tid": tid, "thread_name": track.name}
                yield self._descriptor(uuid=uuid, parent_uuid=node, thread=thread)
            else:
                name = track.kind if track.kind != TASK else track.name
                above = workers.get(worker, node)
                yield self._descriptor(uuid=uuid, parent_uuid=above, name=name)
            yield from self._slices(track, uuid)
        for counter in whole.counters:
            yield from self._counter(counter)

    def _next(self) -> int:
        self._uuid += 1
        return self._uuid

    def _slices(self, track: Track, uuid: int) -> Iterator[bytes]:
        for one in track.slices:
            category, name, interned = self._interned(track.kind, one.name)
            begin = {
                "type": _BEGIN,
                "track_uuid": uuid,
                "category_iids": [category],
                "name_iid": name,
                "debug_annotations": [
                    {"name": f"{cause} (ns)", "int_value": ns} for cause, ns in one.causes.items()
                ],
                # The number 0 is none.
                "flow_ids": [arrow + 1 for arrow in one.sends],
                "terminating_flow_ids": [arrow + 1 for arrow in one.receives],
            }
            yield self._piece(
                {"timestamp": one.start, "interned_data": interned, "track_event": begin},
                {"timestamp": one.end, "track_event": {"type": _END, "track_uuid": uuid}},
            )

    def _interned(self, kind: str, name: str) -> tuple[int, int, dict[str, Any] | None]:
        """Return the numbers of a category and a name, and what introduces new ones."""
        new = {}
        for known, value, field in (
            (self._categories, kind, "event_categories"),
            (self._names, name, "event_names"),
        ):
            if value not in known:
                known[value] = len(known) + 1
                new[field] = [{"iid": known[value], "name": value}]
        return self._categories[kind], self._names[name], new or None

    def _counter(self, counter: Counter) -> Iterator[bytes]:
        uuid = self._next()
        yield self._descriptor(uuid=uuid, name=counter.name, counter={"unit_name": counter.unit})
        for time, value in counter.points:
            event = {"type": _COUNT, "track_uuid": uuid, "double_counter_value": value}
            yield self._piece({"timestamp": time, "track_event": event})

    def _descriptor(self, **fields: Any) -> bytes:
        return self._piece({"track_descriptor": fields})

    def _piece(self, *packets: dict[str, Any]) -> bytes:
        """Return packets of the sequence, whose names are those introduced before."""
        sequence = {"trusted_packet_sequence_id": 1, "sequence_flags": _NEEDED}
        return self._trace(*(sequence | packet for packet in packets))

    def _trace(self, *packets: dict[str, Any]) -> bytes:
        return bytes(self._kinds.Trace(packet=packets).SerializeToString())
