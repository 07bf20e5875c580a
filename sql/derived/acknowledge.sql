-- Store what is known of the change at the run $run_id, of the event $event_id or the one that begins
-- there. What is NULL stays as it was last said of it, but for a note on another state.
INSERT INTO acknowledgements BY NAME
WITH
  named AS (
    SELECT
      run_id, app, version, counted_at AS started_at, CAST($metric AS VARCHAR) AS metric,
      coalesce(
        CAST($event_id AS BIGINT),
        (SELECT min(m.event_id) FROM _event_members AS m WHERE m.run_id = runs.run_id)
      ) AS event_id
    FROM runs
    JOIN _run_commits USING (run_id, app)
    WHERE run_id = $run_id AND counted_at IS NOT NULL
  ),

  earlier AS (
    SELECT arg_max(a, (a.said_at, a.rowid)) AS latest
    FROM named AS n
    JOIN acknowledgements AS a
      ON n.metric = a.metric AND (n.event_id = a.event_id OR n.run_id = a.run_id)
  )

SELECT
  n.*, coalesce($reason, e.latest.reason, 'new') AS reason,
  CASE WHEN $reason IS NULL THEN e.latest.fixed_in ELSE $fixed_in END AS fixed_in,
  coalesce($owner, e.latest."owner") AS "owner", coalesce($ticket, e.latest.ticket) AS ticket,
  coalesce($note, CASE WHEN $reason IS NULL THEN e.latest.note END) AS note,
  CAST($said_by AS VARCHAR) AS said_by, now() AS said_at
FROM named AS n
CROSS JOIN earlier AS e;
