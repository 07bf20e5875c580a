-- Runs, the files that they come from, and what is known of their versions.

CREATE TABLE runs ( -- One row is one execution of a program. Facts are those stated by its files and the options of pwh ingest (run_facts).
    run_id VARCHAR NOT NULL PRIMARY KEY, -- Name of the run: given by the file or with --run, else file name and content hash.
    app VARCHAR, -- Application.
    version VARCHAR, -- Version of the application.
    machine VARCHAR, -- Machine or platform it ran on.
    started_at TIMESTAMPTZ, -- When it started, as its file or an option states it; else, for a run alone in its file, when that was last modified (run_facts.stated_by is file_time), which puts runs in order and is shown nowhere as a start.
    nodes INTEGER, -- Nodes used.
    ranks INTEGER, -- Processes (MPI ranks).
    threads INTEGER, -- Threads per process.
    problem_size DOUBLE, -- Size of the problem in the application's own measure.
    wall_seconds DOUBLE, -- Elapsed time of the run, s. Where no file or option states it, the makespan of its tasks: from the first submission or start to the last end.
    tags MAP(VARCHAR, VARCHAR), -- Anything else that is known of the run.
    "commit" VARCHAR, -- Commit of the code that ran: by option, file, tag of that name, or the one that was checked out where the file was written.
    branch VARCHAR, -- Branch of the code, likewise.
    committed_at TIMESTAMPTZ, -- When the commit was made, as the file states it (git: commits.committed_at).
    landed_at TIMESTAMPTZ, -- When the last of its files landed; NULL for runs written by hand.
    environment MAP(VARCHAR, VARCHAR) -- What it ran in, by field: cpu, microcode, cores, smt, governor, turbo, kernel, os, libc, compiler, interpreter ..., as files state it (run_environment, environments).
);

CREATE TABLE run_facts ( -- One row is what one file, the options given with it, or a row of runs written by hand, states of one run. runs is made of these, so that forgetting a file forgets what it stated.
    run_id VARCHAR NOT NULL, -- Run.
    source_id BIGINT NOT NULL, -- File that states it, or was being ingested when the options were given; 0 where the run was written by hand.
    stated_by VARCHAR NOT NULL, -- option, hand (a row that was in runs before any file of the run landed), file, rows (of the file), git (what was checked out where the file was written), file_time (when it was modified) or file_name (of a file with times of functions at several counts: the application), in the order in which they win; among options the latest.
    position INTEGER NOT NULL, -- Order of the run within the file, from 0.
    app VARCHAR, -- Application.
    version VARCHAR, -- Version of the application.
    machine VARCHAR, -- Machine or platform.
    started_at TIMESTAMPTZ, -- When the run started.
    nodes INTEGER, -- Nodes used.
    ranks INTEGER, -- Processes (MPI ranks).
    threads INTEGER, -- Threads per process.
    problem_size DOUBLE, -- Size of the problem.
    wall_seconds DOUBLE, -- Elapsed time, s.
    tags MAP(VARCHAR, VARCHAR), -- Anything else.
    "commit" VARCHAR, -- Commit of the code.
    branch VARCHAR, -- Branch of the code.
    committed_at TIMESTAMPTZ, -- When the commit was made.
    environment MAP(VARCHAR, VARCHAR) -- What the run ran in, by field.
);

CREATE TABLE sources ( -- One row is one ingested file, or a few files that make one recording.
    source_id BIGINT NOT NULL, -- When it landed first, in microseconds since 1970 (UTC), or one more than the last: later files have larger numbers.
    path VARCHAR NOT NULL, -- Absolute path of the file, the main one of several.
    sha256 VARCHAR NOT NULL, -- SHA-256 of the file as it is stored; of several files, of their names and hashes.
    bytes BIGINT NOT NULL, -- Size on disk, bytes.
    reader VARCHAR NOT NULL, -- Reader that read it (pwh readers).
    ingested_at TIMESTAMPTZ NOT NULL, -- When it landed.
    rows BIGINT NOT NULL, -- Rows it brought, over all tables.
    pwh_version VARCHAR NOT NULL, -- Version of pwh that read it.
    left_out VARCHAR, -- What the file contains beside its rows, how many of them, and why it was left out; NULL where nothing was.
    repeats VARCHAR, -- What the file contains twice: itself, or rows of these tables, which sums then count twice. NULL where nothing was found.
    content_sha256 VARCHAR -- The same of what a compressed file contains; NULL where nothing is compressed.
);

CREATE TABLE rejections ( -- One row is a file that pwh ingest rejected, with the reason of the last time; it is removed when the file lands.
    path VARCHAR NOT NULL, -- Absolute path of the file, the main one of several.
    rejected_at TIMESTAMPTZ NOT NULL, -- When it was rejected.
    reader VARCHAR, -- Reader that rejected it (pwh readers); NULL where none recognised it.
    problem VARCHAR NOT NULL, -- What was wrong.
    place VARCHAR, -- Where in the file, as far as known.
    expected VARCHAR, -- What was expected there, as far as known.
    hint VARCHAR, -- What to do about it, as far as known.
    pwh_version VARCHAR NOT NULL -- Version of pwh that rejected it.
);

CREATE TABLE commits ( -- One row is a commit that a run is of, as git knows it (pwh ingest, pwh record, pwh commits) or as a file states it.
    repository VARCHAR NOT NULL, -- Address of the repository (its remote origin, without a password), else its folder; empty where only a file states the commit.
    "commit" VARCHAR NOT NULL, -- Commit: all digits where git knows it, else as the file has it.
    parents VARCHAR[], -- Its parents, the first one first.
    author VARCHAR, -- Name of its author.
    committed_at TIMESTAMPTZ, -- When it was committed.
    subject VARCHAR, -- First line of its message.
    position BIGINT, -- Its place along the first parents of the default branch, from 1; of a commit that was merged, that of the merge. NULL for one that is not on the default branch, and in shallow clones, whose beginning is not known.
    merged_in VARCHAR, -- Merge that brought it onto the default branch; NULL where it is one of the first parents itself, or not on it.
    fork_position BIGINT, -- Of a commit that is none of the first parents of the default branch: position of the last commit of the default branch that it contains.
    branches VARCHAR[], -- Branches that it is on; of a first parent of the default branch, that branch alone.
    url VARCHAR -- Its page on the site of the project.
);

CREATE TABLE default_branches ( -- One row is a setting: which branch is the history of an application. Without one it is the one that git or its runs name: main, master or trunk, else the one with most runs.
    app VARCHAR NOT NULL, -- Application, or * for all.
    branch VARCHAR NOT NULL -- Branch. Runs of others are candidates: they are in no series.
);

CREATE TABLE app_versions ( -- One row is a version of an application, and its place in their order.
    app VARCHAR NOT NULL, -- Application.
    version VARCHAR NOT NULL, -- Version; those of which all runs failed or are invalid (pwh ack) are left out.
    version_order INTEGER NOT NULL -- Place of the version, from 1, by its first run: by start, and where that is unknown by landing; where no start is known and all versions are numbers by these. Versions of equal place have no order.
);

CREATE TABLE retention_rules ( -- One row is a rule of pwh retention, which pwh maintain applies. Runs that an event, a label or an acknowledgement is of stay as they are.
    rule_id BIGINT NOT NULL, -- Number of the rule.
    keeps VARCHAR NOT NULL, -- all: nothing of it is deleted, whatever other rules say; answers: scalars and computed answers stay, the landed rows go; nothing: the runs go.
    app VARCHAR NOT NULL, -- Application, or a pattern with * and ?.
    branch VARCHAR NOT NULL, -- Branch, likewise; * is also runs of an unknown one.
    rows VARCHAR NOT NULL, -- Landing tables of which it is: a name or a pattern.
    days DOUBLE NOT NULL -- Age of runs (days since they started, else since they landed) from which on it applies; of all it counts for nothing.
);

CREATE TABLE forgotten_rows ( -- One row is a run, a source and a landing table whose rows of it pwh maintain deleted (retention_rules). What was computed of them stays as it was.
    run_id VARCHAR NOT NULL, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- Source (sources.source_id).
    "table" VARCHAR NOT NULL, -- Landing table.
    rows BIGINT NOT NULL, -- Rows that were deleted.
    forgotten_at TIMESTAMPTZ NOT NULL -- When.
);
