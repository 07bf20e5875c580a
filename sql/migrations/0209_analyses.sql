-- What analyses computed, of what, and the texts of their flags.

CREATE TABLE analyses ( -- One row is an analysis whose results are stored, and the revision by which they were computed.
    analysis VARCHAR NOT NULL, -- Analysis: the name of its table and of its file in sql/analyses.
    revision VARCHAR NOT NULL -- Digest of its SQL and its functions; pwh migrate computes its rows again where it is not that of this pwh.
);

CREATE TABLE analysis_states ( -- One row is a key of an analysis (a run, a series ...) whose rows are stored, and what they were computed from.
    analysis VARCHAR NOT NULL, -- Analysis (analyses.analysis).
    key VARCHAR NOT NULL, -- What was analysed: run_id, series_id ..., as text.
    scope VARCHAR NOT NULL, -- What it belongs to, by which it is found when files land: a run or an application.
    digest VARCHAR NOT NULL, -- Digest of all that the rows of this key were computed from.
    failed VARCHAR -- Why it could not be computed; there are no rows of this key then. NULL where it was.
);

CREATE TABLE flag_texts ( -- One row is the text of a flag: flag_text(flag) fills it in.
    code VARCHAR NOT NULL, -- Code of the flag.
    text VARCHAR NOT NULL, -- What it says: a short form, and behind a colon more. {name} stands for the argument of that name.
    shipped BOOLEAN NOT NULL DEFAULT false -- Whether the row came with pwh.
);
