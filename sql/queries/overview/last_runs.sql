-- The last runs, in which one of each kind of trace is looked for.
FROM _last_runs;
