-- Runs of one application, the newest first: by start, where it is unknown by when they landed. Those
-- of equal `place` have no order. Failed ones are none of them, and invalid ones (pwh ack) are left out.
SELECT
  c.run_id, c.version, c.started_at, c.tags, c.configuration,
  rank() OVER (ORDER BY l.last_at DESC NULLS LAST, l.landed_at DESC NULLS LAST) AS place
FROM run_configurations AS c
LEFT JOIN _run_times AS l ON c.run_id = l.run_id
ANTI JOIN (FROM acknowledgements WHERE reason = 'invalid run') AS i ON c.run_id = i.run_id
WHERE c.app = $app
ORDER BY place, l.position DESC, c.run_id DESC;
