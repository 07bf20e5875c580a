-- Runs of one application, the newest first. Those of equal `place` have no order. Failed ones are none
-- of them, and invalid ones (pwh ack) are left out. Without a version a run is of its commit.
SELECT
  c.run_id, coalesce(c.version, g."commit") AS version, c.started_at, c.tags, c.configuration,
  o.is_candidate,
  rank() OVER (ORDER BY o.place DESC) AS place
FROM run_configurations AS c
JOIN _run_order AS o ON c.run_id = o.run_id
JOIN run_groups AS g ON c.run_id = g.run_id
JOIN _run_times AS t ON c.run_id = t.run_id
ANTI JOIN (FROM acknowledgements WHERE reason = 'invalid run') AS i ON c.run_id = i.run_id
WHERE c.app = $app AND o.app = $app
ORDER BY place, t.position DESC, c.run_id DESC;
