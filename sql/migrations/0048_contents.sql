-- A file is the same recording compressed and not: what is inside is known of compressed ones, too.

ALTER TABLE sources ADD COLUMN content_sha256 VARCHAR;

COMMENT ON COLUMN sources.sha256 IS 'SHA-256 of the file as it is stored; of several files, of their names and hashes.';
COMMENT ON COLUMN sources.content_sha256 IS 'The same of what a compressed file contains; NULL where nothing is compressed.';
