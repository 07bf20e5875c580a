-- What changed between two groups of runs, the strongest evidence first. As explain_run, which takes
-- DuckDB twice as long to plan, as it has to find out what it is given.
SELECT * EXCLUDE (id, place), topic = 'counter' AND _is_instructions(subject) AS is_instructions
FROM _explained(_sides(0, $runs, $against, $explaining, $metric))
ORDER BY place;
