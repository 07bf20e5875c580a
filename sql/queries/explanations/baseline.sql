-- What a run is explained against where nobody says it.
FROM explain_baseline($run_id);
