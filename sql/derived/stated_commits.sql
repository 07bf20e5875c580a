-- Insert the commits of runs, of which {runs} is the condition, that only files know: of the repository
-- that their page is of, as git has its address.

INSERT INTO commits BY NAME
SELECT
  coalesce('https://' || nullif(regexp_extract(
    any_value(r.tags['url']), '^https?://(?:[^/@]*@)?([^?#]+?)(?:/-|/pull/\d+)*/commits?/', 1
  ), ''), '') AS repository,
  lower(r."commit") AS "commit", any_value(r.committed_at) AS committed_at,
  any_value(r.tags['author']) AS author, any_value(r.tags['subject']) AS subject,
  any_value(r.tags['url']) AS url
FROM runs AS r
WHERE {runs} AND r."commit" IS NOT NULL AND r.committed_at IS NOT NULL
  AND NOT EXISTS (FROM commits AS c WHERE c."commit" = lower(r."commit"))
GROUP BY lower(r."commit");
