-- Long names of metrics, and the peaks of machines for rooflines.

CREATE TABLE metric_names (
    metric VARCHAR NOT NULL,
    title VARCHAR NOT NULL,
    unit VARCHAR NOT NULL,
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE metric_names IS 'One row is the long name of one metric of the metric sets.';
COMMENT ON COLUMN metric_names.metric IS 'Metric (metric_definitions.metric).';
COMMENT ON COLUMN metric_names.title IS 'What it counts, in words.';
COMMENT ON COLUMN metric_names.unit IS 'Its unit: per cycle, of the issue width, of the issue slots, of the cycles, bytes per cycle.';
COMMENT ON COLUMN metric_names.shipped IS 'Whether it came with pwh; another row for the metric comes first.';

ALTER TABLE machine_settings ADD COLUMN peak_flops DOUBLE;
ALTER TABLE machine_settings ADD COLUMN peak_bytes_per_second DOUBLE;
COMMENT ON COLUMN machine_settings.peak_flops IS 'Floating-point operations that its runs can reach in a second, all cores in use; NULL where unknown.';
COMMENT ON COLUMN machine_settings.peak_bytes_per_second IS 'Bytes that they can move to and from main memory in a second; NULL where unknown.';

CREATE TABLE roofline_events (
    event VARCHAR NOT NULL,
    quantity VARCHAR NOT NULL CHECK (
        quantity IN (
            'flops', 'bytes', 'flops_per_rep', 'bytes_per_rep', 'reps', 'flops_per_second',
            'bytes_per_second'
        )
    ),
    factor DOUBLE NOT NULL,
    preference INTEGER NOT NULL,
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE roofline_events IS 'One row is one event that counts floating-point operations or bytes of main memory.';
COMMENT ON COLUMN roofline_events.event IS 'Event, in lower case and without processor or modifier.';
COMMENT ON COLUMN roofline_events.quantity IS 'What it counts: flops or bytes, these per repetition (of reps) or per second.';
COMMENT ON COLUMN roofline_events.factor IS 'Operations or bytes of one event.';
COMMENT ON COLUMN roofline_events.preference IS 'Of the events of one quantity in a file those with the smallest are used, and added.';
COMMENT ON COLUMN roofline_events.shipped IS 'Whether it came with pwh.';
