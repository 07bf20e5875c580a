-- Predictions of programs and their functions at the counts that questions are about: to compute them
-- takes longer than all else that a question does.

CREATE TABLE _forecasts (
    set_id BIGINT,
    function VARCHAR,
    counts BIGINT[],
    forecast STRUCT(
        seconds DOUBLE[], low DOUBLE[], high DOUBLE[],
        flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[]
    )
);
COMMENT ON TABLE _forecasts IS 'One row is the program of a set of runs, or one of its functions, and what it is predicted to take.';
COMMENT ON COLUMN _forecasts.set_id IS 'Set of runs (scaling_sets.set_id).';
COMMENT ON COLUMN _forecasts.function IS 'Function; NULL for the program.';
COMMENT ON COLUMN _forecasts.counts IS 'Counts, ascending.';
COMMENT ON COLUMN _forecasts.forecast IS 'Predicted times at these counts, s, with 90 % intervals, and what to keep in mind.';
