-- Runs, and the files they came from.

CREATE TABLE runs (
    run_id VARCHAR NOT NULL,
    app VARCHAR,
    version VARCHAR,
    machine VARCHAR,
    started_at TIMESTAMPTZ,
    nodes INTEGER,
    ranks INTEGER,
    threads INTEGER,
    problem_size DOUBLE,
    wall_seconds DOUBLE,
    tags MAP(VARCHAR, VARCHAR)
);
COMMENT ON TABLE runs IS 'One row is one execution of a program. Facts are what its files and the options of pwh ingest said (run_facts).';
COMMENT ON COLUMN runs.run_id IS 'Name of the run: given by the file or with --run, else file name and content hash.';
COMMENT ON COLUMN runs.app IS 'Application.';
COMMENT ON COLUMN runs.version IS 'Version of the application.';
COMMENT ON COLUMN runs.machine IS 'Machine or platform it ran on.';
COMMENT ON COLUMN runs.started_at IS 'When it started.';
COMMENT ON COLUMN runs.nodes IS 'Nodes used.';
COMMENT ON COLUMN runs.ranks IS 'Processes (MPI ranks).';
COMMENT ON COLUMN runs.threads IS 'Threads per process.';
COMMENT ON COLUMN runs.problem_size IS 'Size of the problem in the application''s own measure.';
COMMENT ON COLUMN runs.wall_seconds IS 'Elapsed time of the run, s.';
COMMENT ON COLUMN runs.tags IS 'Anything else that was said of the run.';

CREATE TABLE run_facts (
    run_id VARCHAR NOT NULL,
    source_id BIGINT NOT NULL,
    stated_by VARCHAR NOT NULL,
    position INTEGER NOT NULL,
    app VARCHAR,
    version VARCHAR,
    machine VARCHAR,
    started_at TIMESTAMPTZ,
    nodes INTEGER,
    ranks INTEGER,
    threads INTEGER,
    problem_size DOUBLE,
    wall_seconds DOUBLE,
    tags MAP(VARCHAR, VARCHAR)
);
COMMENT ON TABLE run_facts IS 'One row is what one file, or the options given with it, said of one run. runs is made of these, so that forgetting a file forgets what it said.';
COMMENT ON COLUMN run_facts.run_id IS 'Run.';
COMMENT ON COLUMN run_facts.source_id IS 'File that said so, or was being ingested when the options were given.';
COMMENT ON COLUMN run_facts.stated_by IS 'file or option; options win, and among options the latest.';
COMMENT ON COLUMN run_facts.position IS 'Order of the run within the file, from 0.';
COMMENT ON COLUMN run_facts.app IS 'Application.';
COMMENT ON COLUMN run_facts.version IS 'Version of the application.';
COMMENT ON COLUMN run_facts.machine IS 'Machine or platform.';
COMMENT ON COLUMN run_facts.started_at IS 'When the run started.';
COMMENT ON COLUMN run_facts.nodes IS 'Nodes used.';
COMMENT ON COLUMN run_facts.ranks IS 'Processes (MPI ranks).';
COMMENT ON COLUMN run_facts.threads IS 'Threads per process.';
COMMENT ON COLUMN run_facts.problem_size IS 'Size of the problem.';
COMMENT ON COLUMN run_facts.wall_seconds IS 'Elapsed time, s.';
COMMENT ON COLUMN run_facts.tags IS 'Anything else.';

CREATE TABLE sources (
    source_id BIGINT NOT NULL,
    path VARCHAR NOT NULL,
    sha256 VARCHAR NOT NULL,
    bytes BIGINT NOT NULL,
    reader VARCHAR NOT NULL,
    ingested_at TIMESTAMPTZ NOT NULL,
    rows BIGINT NOT NULL,
    pwh_version VARCHAR NOT NULL
);
COMMENT ON TABLE sources IS 'One row is one ingested file, or a few files that make one recording.';
COMMENT ON COLUMN sources.source_id IS 'The first 48 bits of the SHA-256 of content hash and reader, as a number.';
COMMENT ON COLUMN sources.path IS 'Absolute path of the file, the main one of several.';
COMMENT ON COLUMN sources.sha256 IS 'SHA-256 of the content; of several files, of their names and hashes.';
COMMENT ON COLUMN sources.bytes IS 'Size on disk, bytes.';
COMMENT ON COLUMN sources.reader IS 'Reader that read it (pwh readers).';
COMMENT ON COLUMN sources.ingested_at IS 'When it landed.';
COMMENT ON COLUMN sources.rows IS 'Rows it brought, over all tables.';
COMMENT ON COLUMN sources.pwh_version IS 'Version of pwh that read it.';
