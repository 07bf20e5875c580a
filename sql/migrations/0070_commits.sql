-- The history of code: commits, what runs state of theirs, and the order that they bring.

CREATE TABLE commits (
    repository VARCHAR NOT NULL,
    "commit" VARCHAR NOT NULL,
    parents VARCHAR[],
    author VARCHAR,
    committed_at TIMESTAMPTZ,
    subject VARCHAR,
    position BIGINT,
    merged_in VARCHAR,
    fork_position BIGINT,
    branches VARCHAR[],
    url VARCHAR
);
COMMENT ON TABLE commits IS 'One row is a commit that a run is of, as git knows it (pwh ingest, pwh record, pwh commits) or as a file states it.';
COMMENT ON COLUMN commits.repository IS 'Address of the repository (its remote origin, without a password), else its folder; empty where only a file states the commit.';
COMMENT ON COLUMN commits."commit" IS 'Commit: all digits where git knows it, else as the file has it.';
COMMENT ON COLUMN commits.parents IS 'Its parents, the first one first.';
COMMENT ON COLUMN commits.author IS 'Name of its author.';
COMMENT ON COLUMN commits.committed_at IS 'When it was committed.';
COMMENT ON COLUMN commits.subject IS 'First line of its message.';
COMMENT ON COLUMN commits.position IS 'Its place along the first parents of the default branch, from 1; of a commit that was merged, that of the merge. NULL for one that is not on the default branch, and in shallow clones, whose beginning is not known.';
COMMENT ON COLUMN commits.merged_in IS 'Merge that brought it onto the default branch; NULL where it is one of the first parents itself, or not on it.';
COMMENT ON COLUMN commits.fork_position IS 'Of a commit that is none of the first parents of the default branch: position of the last commit of the default branch that it contains.';
COMMENT ON COLUMN commits.branches IS 'Branches that it is on; of a first parent of the default branch, that branch alone.';
COMMENT ON COLUMN commits.url IS 'Its page on the site of the project.';

CREATE TABLE default_branches (
    app VARCHAR NOT NULL,
    branch VARCHAR NOT NULL
);
COMMENT ON TABLE default_branches IS 'One row is a setting: which branch is the history of an application. Without one it is the one that git or its runs name: main, master or trunk, else the one with most runs.';
COMMENT ON COLUMN default_branches.app IS 'Application, or * for all.';
COMMENT ON COLUMN default_branches.branch IS 'Branch. Runs of others are candidates: they are in no series.';

ALTER TABLE runs ADD COLUMN "commit" VARCHAR;
ALTER TABLE runs ADD COLUMN branch VARCHAR;
ALTER TABLE runs ADD COLUMN committed_at TIMESTAMPTZ;
ALTER TABLE runs ADD COLUMN landed_at TIMESTAMPTZ;
COMMENT ON COLUMN runs."commit" IS 'Commit of the code that ran: by option, file, tag of that name, or the one that was checked out where the file was written.';
COMMENT ON COLUMN runs.branch IS 'Branch of the code, likewise.';
COMMENT ON COLUMN runs.committed_at IS 'When the commit was made, as the file states it (git: commits.committed_at).';
COMMENT ON COLUMN runs.landed_at IS 'When the last of its files landed; NULL for runs written by hand.';
UPDATE runs SET "commit" = tags['commit'], branch = tags['branch'], landed_at = (
  SELECT max(s.ingested_at)
  FROM run_facts AS f
  JOIN sources AS s ON f.source_id = s.source_id
  WHERE f.run_id = runs.run_id
);

ALTER TABLE run_facts ADD COLUMN "commit" VARCHAR;
ALTER TABLE run_facts ADD COLUMN branch VARCHAR;
ALTER TABLE run_facts ADD COLUMN committed_at TIMESTAMPTZ;
COMMENT ON COLUMN run_facts."commit" IS 'Commit of the code.';
COMMENT ON COLUMN run_facts.branch IS 'Branch of the code.';
COMMENT ON COLUMN run_facts.committed_at IS 'When the commit was made.';
COMMENT ON COLUMN run_facts.stated_by IS 'option, hand (a row that was in runs before any file of the run landed), file, rows (of the file), git (what was checked out where the file was written) or file_time (when it was modified), in the order in which they win; among options the latest.';

ALTER TABLE run_groups ADD COLUMN branch VARCHAR;
ALTER TABLE run_groups ADD COLUMN on_default BOOLEAN;
ALTER TABLE run_groups ADD COLUMN repository VARCHAR;
ALTER TABLE run_groups ADD COLUMN position BIGINT;
ALTER TABLE run_groups ADD COLUMN fork_position BIGINT;
ALTER TABLE run_groups ADD COLUMN committed_at TIMESTAMPTZ;
COMMENT ON COLUMN run_groups."commit" IS 'Its commit (runs.commit).';
COMMENT ON COLUMN run_groups.branch IS 'Its branch (runs.branch), else the one that git has its commit on, unless that was merged.';
COMMENT ON COLUMN run_groups.on_default IS 'Whether git has its commit on the default branch: as one of its first parents, or merged and no other branch is stated. NULL where git does not know.';
COMMENT ON COLUMN run_groups.repository IS 'Repository of its commit (commits.repository).';
COMMENT ON COLUMN run_groups.position IS 'Place of its commit in the history (commits.position).';
COMMENT ON COLUMN run_groups.fork_position IS 'Where its branch left the history (commits.fork_position).';
COMMENT ON COLUMN run_groups.committed_at IS 'When its commit was made, by git, else by the file.';

COMMENT ON COLUMN acknowledgements.started_at IS 'When its commit was made, else when it started: where its history has the change.';

-- What asv and ReFrame call an environment: the versions of packages, the compiler.
INSERT INTO series_fields VALUES ('environment', true) ON CONFLICT DO NOTHING;
