-- Rejections: files that could not be taken in, and why.

CREATE TABLE rejections (
    path VARCHAR NOT NULL,
    rejected_at TIMESTAMPTZ NOT NULL,
    reader VARCHAR,
    problem VARCHAR NOT NULL,
    place VARCHAR,
    expected VARCHAR,
    hint VARCHAR,
    pwh_version VARCHAR NOT NULL
);
COMMENT ON TABLE rejections IS 'One row is a file that pwh ingest rejected, as it was the last time; it goes when the file lands.';
COMMENT ON COLUMN rejections.path IS 'Absolute path of the file, the main one of several.';
COMMENT ON COLUMN rejections.rejected_at IS 'When it was rejected.';
COMMENT ON COLUMN rejections.reader IS 'Reader that gave it up (pwh readers); NULL where none recognised it.';
COMMENT ON COLUMN rejections.problem IS 'What was wrong.';
COMMENT ON COLUMN rejections.place IS 'Where in the file, as far as known.';
COMMENT ON COLUMN rejections.expected IS 'What should have stood there, as far as known.';
COMMENT ON COLUMN rejections.hint IS 'What to do about it, as far as known.';
COMMENT ON COLUMN rejections.pwh_version IS 'Version of pwh that rejected it.';
