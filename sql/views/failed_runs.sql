-- Runs of programs that ended with an error or were interrupted: their times are not those of the whole work.

CREATE OR REPLACE VIEW failed_runs AS -- One row is a run whose program ended with an error (its tag exit_code is not 0) or was interrupted while pwh record ran it. It is in no series, comparison, gate or scaling set.
SELECT
  run_id, app, version, machine, started_at,
  tags['exit_code'] AS exit_code, -- Exit code of the program; 128 and the number of the signal where one ended it; NULL for 0.
  coalesce(tags['interrupted'] = 'true', false) AS interrupted, -- Whether it was interrupted (Ctrl-C, SIGTERM, SIGHUP), with whatever exit code.
  tags['command'] AS command -- Command line, where it is known.
FROM runs
WHERE coalesce(tags['exit_code'], '0') <> '0' OR tags['interrupted'] = 'true';
