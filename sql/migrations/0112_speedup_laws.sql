-- Laws of speed-up are stored.

CREATE TABLE speedup_laws (
    set_id BIGINT,
    app VARCHAR,
    version VARCHAR,
    machine VARCHAR,
    law VARCHAR,
    serial DOUBLE,
    serial_low DOUBLE,
    serial_high DOUBLE,
    coherence DOUBLE,
    coherence_low DOUBLE,
    coherence_high DOUBLE,
    most DOUBLE,
    peak DOUBLE,
    smape DOUBLE
);
COMMENT ON TABLE speedup_laws IS 'One row is a law of speed-up fitted to the measured times of a set of runs that is scaled by a count, against its smallest count; three counts at least.';
COMMENT ON COLUMN speedup_laws.set_id IS 'Set of runs that are modelled together: a number of application, version and machine.';
COMMENT ON COLUMN speedup_laws.app IS 'Application.';
COMMENT ON COLUMN speedup_laws.version IS 'Version.';
COMMENT ON COLUMN speedup_laws.machine IS 'Machine.';
COMMENT ON COLUMN speedup_laws.law IS 'Amdahl: r / (1 + a (r - 1)) of r times the smallest count; Gustafson: r - a (r - 1); USL, the universal scalability law: r / (1 + a (r - 1) + b r (r - 1)).';
COMMENT ON COLUMN speedup_laws.serial IS 'a: the serial part of the work, or contention, 0..1.';
COMMENT ON COLUMN speedup_laws.serial_low IS 'Lower end of its 90 % interval.';
COMMENT ON COLUMN speedup_laws.serial_high IS 'Upper end of its 90 % interval.';
COMMENT ON COLUMN speedup_laws.coherence IS 'b: what all exchange with all; NULL except for USL.';
COMMENT ON COLUMN speedup_laws.coherence_low IS 'Lower end of its 90 % interval.';
COMMENT ON COLUMN speedup_laws.coherence_high IS 'Upper end of its 90 % interval.';
COMMENT ON COLUMN speedup_laws.most IS 'The largest speed-up by the law, against the smallest count; NULL where it grows without limit.';
COMMENT ON COLUMN speedup_laws.peak IS 'The count at which that is; NULL where the law only approaches it.';
COMMENT ON COLUMN speedup_laws.smape IS 'Symmetric mean absolute relative error at the measured counts.';
