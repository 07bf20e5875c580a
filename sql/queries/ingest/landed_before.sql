-- The sources of the contents $contents, or of the paths $paths.
SELECT source_id, reader, sha256, content_sha256, path
FROM sources
WHERE sha256 IN (SELECT unnest($contents)) OR content_sha256 IN (SELECT unnest($contents))
  OR path IN (SELECT unnest($paths));
