-- Runs of one application, the newest first. Those of equal `place` have no order. Failed ones are none
-- of them, and invalid ones (pwh ack) are left out. `version` is what a run is of (_run_order.state).
SELECT
  c.run_id, o.state AS version, c.started_at, c.tags, c.configuration,
  o.is_candidate,
  rank() OVER (ORDER BY o.place DESC) AS place
FROM run_configurations AS c
JOIN _run_order AS o ON c.run_id = o.run_id
JOIN _run_times AS t ON c.run_id = t.run_id
ANTI JOIN (FROM acknowledgements WHERE reason = 'invalid run') AS i ON c.run_id = i.run_id
WHERE c.app = $app AND o.app = $app
ORDER BY place, t.position DESC, c.run_id DESC;
