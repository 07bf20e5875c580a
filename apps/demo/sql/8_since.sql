-- History (generated): which programs became slower for good, and since when?
SELECT app, version, started_at, points AS runs, round(before, 2) AS seconds_before,
  round(after, 2) AS seconds_after, round(100 * change, 1) AS percent, p_value
FROM change_points
WHERE metric = 'wall_seconds'
