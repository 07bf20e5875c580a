-- What processors with the core of a table are called.

CREATE TABLE core_names (
    core VARCHAR NOT NULL,
    pattern VARCHAR NOT NULL,
    processors VARCHAR,
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE core_names IS 'One row is how processors with a core are called, as the machines of runs are. Only names that are surely of the core are rows: the others are of a machine whose core is not known.';
COMMENT ON COLUMN core_names.core IS 'Core (cores.core).';
COMMENT ON COLUMN core_names.pattern IS 'What the name of the machine (runs.machine, in lower case) contains, a regular expression.';
COMMENT ON COLUMN core_names.processors IS 'The processors in words.';
COMMENT ON COLUMN core_names.shipped IS 'Whether the row came with pwh.';

COMMENT ON COLUMN cores.core IS 'Machine (runs.machine, in lower case), or what its name begins with before a dash; core_names has the names of processors.';
