-- Explanations of changes are stored.

CREATE TABLE change_explanations (
    change_id BIGINT,
    run_id VARCHAR,
    app VARCHAR,
    machine VARCHAR,
    version VARCHAR,
    started_at TIMESTAMP WITH TIME ZONE,
    main_metric VARCHAR,
    main_direction VARCHAR,
    runs VARCHAR[],
    against VARCHAR[],
    topic VARCHAR,
    subject VARCHAR,
    metric VARCHAR,
    unit VARCHAR,
    "before" DOUBLE,
    "after" DOUBLE,
    change DOUBLE,
    change_low DOUBLE,
    change_high DOUBLE,
    before_label VARCHAR,
    after_label VARCHAR,
    share DOUBLE,
    direction VARCHAR,
    certain BOOLEAN,
    p_value DOUBLE,
    values_before BIGINT,
    values_after BIGINT,
    calls_before DOUBLE,
    calls_after DOUBLE,
    noise VARCHAR,
    flags VARCHAR[],
    query VARCHAR
);
COMMENT ON TABLE change_explanations IS 'One row is one thing that changed together with a change of the metric that runs are judged by (the tag main_metric, else wall_seconds, else functions:seconds, cycles ..., else results of benchmarks, else counters, else any metric) in change_points. For any two runs: explain_run.';
COMMENT ON COLUMN change_explanations.change_id IS 'Number of the change: of its application, fields and first run.';
COMMENT ON COLUMN change_explanations.run_id IS 'First run after the change.';
COMMENT ON COLUMN change_explanations.app IS 'Application.';
COMMENT ON COLUMN change_explanations.machine IS 'Machine.';
COMMENT ON COLUMN change_explanations.version IS 'Version of that run.';
COMMENT ON COLUMN change_explanations.started_at IS 'When it started.';
COMMENT ON COLUMN change_explanations.main_metric IS 'Metric that got worse.';
COMMENT ON COLUMN change_explanations.main_direction IS 'worse or better: the direction of the change; NULL where that is not known.';
COMMENT ON COLUMN change_explanations.runs IS 'Runs after the change, up to the next one, 30 at most, 8 of a series that drifts.';
COMMENT ON COLUMN change_explanations.against IS 'Runs before it, from the change before, likewise.';
COMMENT ON COLUMN change_explanations.topic IS 'metric (the main metric itself), function, counter, benchmark (a result of one, or another value of the table metrics), bottleneck, scaling, idle, threads, or setting (a field or tag that differs between the two sides).';
COMMENT ON COLUMN change_explanations.subject IS 'Function or code region (NULL: all of them together), event, part of the idle time, kernel or field.';
COMMENT ON COLUMN change_explanations.metric IS 'What before and after are of: seconds:FUNCTION, per_cycle:EVENT, frac_mem, exponent, starvation_percent, fluctuation ...';
COMMENT ON COLUMN change_explanations.unit IS 'Their unit.';
COMMENT ON COLUMN change_explanations."before" IS 'Before the change: the geometric mean of its runs, or the mean where values are not positive (as in comparison; without a function a run spent no time in it).';
COMMENT ON COLUMN change_explanations."after" IS 'The same after it.';
COMMENT ON COLUMN change_explanations.change IS 'Relative change: 0.1 is 10 % more; NULL where it was 0 before.';
COMMENT ON COLUMN change_explanations.change_low IS 'Lower end of the interval of change, which holds for all metrics together with a probability of 95 %; NULL where it is unbounded or the noise is unknown.';
COMMENT ON COLUMN change_explanations.change_high IS 'Upper end of it.';
COMMENT ON COLUMN change_explanations.before_label IS 'In words: class of bottleneck, formula, dominant part of the idle time, verdict on threads, setting.';
COMMENT ON COLUMN change_explanations.after_label IS 'The same after the change.';
COMMENT ON COLUMN change_explanations.share IS 'Share of the loss: of the time that all functions together take more, or of the cycles that all counted regions take more. Negative where it took less. NULL where there is no such sum.';
COMMENT ON COLUMN change_explanations.direction IS 'worse or better; NULL where that is not known.';
COMMENT ON COLUMN change_explanations.certain IS 'Whether it is beyond noise: of numbers where p_value is below 0.05 (comparison), of exponents where their 90 % intervals do not overlap, of classes where nine of ten runs on both sides agree. NULL: the noise is unknown (flags). Changes within noise have no row, except functions with the flags new, gone, separated or largest.';
COMMENT ON COLUMN change_explanations.p_value IS 'Probability of such a difference without a change, corrected for the number of metrics compared; NULL where the noise is unknown, or intervals decide.';
COMMENT ON COLUMN change_explanations.values_before IS 'Values (of runs, or of launches) that before is the mean of.';
COMMENT ON COLUMN change_explanations.values_after IS 'Values that after is the mean of.';
COMMENT ON COLUMN change_explanations.calls_before IS 'Of functions: calls in a run before, over all ranks and threads (mean); NULL where no tool counted them.';
COMMENT ON COLUMN change_explanations.calls_after IS 'The same after.';
COMMENT ON COLUMN change_explanations.noise IS 'Where the noise is from: runs, history, other side or usual (comparison); NULL where it is unknown or not needed.';
COMMENT ON COLUMN change_explanations.flags IS 'single_run, few_runs (too few to distinguish from noise), new, gone (a function of one side only), separated (every run of one side above every run of the other, but among too many functions to be certain), largest (not certain, but one of the three largest shares of a loss of which other functions explain less than half), same_count (an event per cycle moved because the cycles did, not its count), flags of scaling models.';
COMMENT ON COLUMN change_explanations.query IS 'SQL that shows the values behind it.';
