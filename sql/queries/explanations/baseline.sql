-- The runs that a run is explained against by default.
FROM explain_baseline($run_id);
