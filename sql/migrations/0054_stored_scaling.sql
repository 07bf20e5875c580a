-- How programs scale is stored.

CREATE TABLE scaling_sets (
    set_id BIGINT,
    app VARCHAR,
    version VARCHAR,
    machine VARCHAR,
    scaling VARCHAR,
    assumed BOOLEAN,
    crossed BOOLEAN,
    problem_size DOUBLE,
    problem_sizes BIGINT,
    counts BIGINT,
    smallest INTEGER,
    largest INTEGER,
    growth DOUBLE,
    cores_each DOUBLE,
    flags VARCHAR[]
);
COMMENT ON TABLE scaling_sets IS 'One row is one set of runs that are modelled together: those of the same application, version and machine.';
COMMENT ON COLUMN scaling_sets.set_id IS 'Set of runs that are modelled together: a number of application, version and machine.';
COMMENT ON COLUMN scaling_sets.app IS 'Application.';
COMMENT ON COLUMN scaling_sets.version IS 'Version.';
COMMENT ON COLUMN scaling_sets.machine IS 'Machine.';
COMMENT ON COLUMN scaling_sets.scaling IS 'strong: the work of the whole problem is fixed; weak: the problem grows with the parallelism, so the work of each process is fixed. strong where the sizes are unknown.';
COMMENT ON COLUMN scaling_sets.assumed IS 'Whether scaling is the default, because no run states its problem size.';
COMMENT ON COLUMN scaling_sets.crossed IS 'Whether several problem sizes were run at the same parallelism, so that both parameters can be modelled.';
COMMENT ON COLUMN scaling_sets.problem_size IS 'The set''s own problem size: the only one, or of several the one run at most counts (the largest of these); NULL where it is unknown or grows with the parallelism.';
COMMENT ON COLUMN scaling_sets.problem_sizes IS 'Different problem sizes.';
COMMENT ON COLUMN scaling_sets.counts IS 'Different counts (parallelism).';
COMMENT ON COLUMN scaling_sets.smallest IS 'Smallest parallelism measured.';
COMMENT ON COLUMN scaling_sets.largest IS 'Largest parallelism measured.';
COMMENT ON COLUMN scaling_sets.growth IS 'Exponent with which the problem size grows with the parallelism; 1 is weak scaling proper.';
COMMENT ON COLUMN scaling_sets.cores_each IS 'Cores for each unit of parallelism (threads of a rank); NULL where that is nodes whose cores are unknown.';
COMMENT ON COLUMN scaling_sets.flags IS 'What was assumed, and what speaks against one problem: tags by which runs at one count differ, if their times do by more than a quarter.';

CREATE TABLE scaling_series (
    set_id BIGINT,
    app VARCHAR,
    version VARCHAR,
    machine VARCHAR,
    function VARCHAR,
    kind VARCHAR,
    x DOUBLE[],
    y DOUBLE[],
    noise DOUBLE,
    repetitions INTEGER,
    seen_last BOOLEAN,
    in_program BOOLEAN,
    flags VARCHAR[]
);
COMMENT ON TABLE scaling_series IS 'One row is the series of one function of a set of runs, at the set''s own problem size.';
COMMENT ON COLUMN scaling_series.set_id IS 'Set of runs that are modelled together: a number of application, version and machine.';
COMMENT ON COLUMN scaling_series.app IS 'Application.';
COMMENT ON COLUMN scaling_series.version IS 'Version.';
COMMENT ON COLUMN scaling_series.machine IS 'Machine.';
COMMENT ON COLUMN scaling_series.function IS 'Function.';
COMMENT ON COLUMN scaling_series.kind IS 'Kind, as in scaling_points.';
COMMENT ON COLUMN scaling_series.x IS 'Parallelism of the points with a time above zero, ascending.';
COMMENT ON COLUMN scaling_series.y IS 'Their times, s.';
COMMENT ON COLUMN scaling_series.noise IS 'Scatter of the repetitions: median over the counts of standard deviation over mean; 0 where there is only one.';
COMMENT ON COLUMN scaling_series.repetitions IS 'Most repetitions at a count.';
COMMENT ON COLUMN scaling_series.seen_last IS 'Whether it took time at the largest count at which functions (or whole runs, for those of kind total) were measured. If not it may have stopped being called, so nothing is predicted of it.';
COMMENT ON COLUMN scaling_series.in_program IS 'Whether its time is a part of the program''s: whole-run rows (kind total) are only where nothing else was measured.';
COMMENT ON COLUMN scaling_series.flags IS 'What is amiss with the measurements.';

CREATE TABLE scaling_models (
    set_id BIGINT,
    app VARCHAR,
    version VARCHAR,
    machine VARCHAR,
    function VARCHAR,
    kind VARCHAR,
    formula VARCHAR,
    parameters MAP(VARCHAR, DOUBLE),
    r2 DOUBLE,
    smape DOUBLE,
    cv_error DOUBLE,
    points BIGINT,
    repetitions INTEGER,
    exponent DOUBLE,
    exponent_low DOUBLE,
    exponent_high DOUBLE,
    scaling VARCHAR,
    flags VARCHAR[]
);
COMMENT ON TABLE scaling_models IS 'One row is one function of a set of runs (same application, version and machine), and how its time changes with the parallelism p.';
COMMENT ON COLUMN scaling_models.set_id IS 'Set of runs that are modelled together: a number of application, version and machine.';
COMMENT ON COLUMN scaling_models.app IS 'Application.';
COMMENT ON COLUMN scaling_models.version IS 'Version.';
COMMENT ON COLUMN scaling_models.machine IS 'Machine.';
COMMENT ON COLUMN scaling_models.function IS 'Function.';
COMMENT ON COLUMN scaling_models.kind IS 'Kind, which decides the terms that the model may have.';
COMMENT ON COLUMN scaling_models.formula IS 'The law by which scaling_predict predicts beyond the largest count, seconds by p. Where no law is carried by the points a mixture of models predicts: then it is the formula nearest to that, and formula_disagrees is among the flags if it is more than 10 % off up to eight times the largest count. NULL where there is no model.';
COMMENT ON COLUMN scaling_models.parameters IS 'Parameters of the formula, by the letters of the kind''s basis. computation and non-blocking point-to-point: a*p^-b + c*p^d + e; blocking point-to-point: a*p^b + c*log2(p) + d; n-to-n: a*log2(p) + b*p^c + d; n-to-1 and 1-to-n: (a*p^b + c)*log2(p) + d; the last three may have g*p^-h too. log_exponent is the power of log2(p) in the growing term; limit and half are those of limit*p/(p + half).';
COMMENT ON COLUMN scaling_models.r2 IS 'Coefficient of determination of the formula at the measured points; NULL where all times are the same.';
COMMENT ON COLUMN scaling_models.smape IS 'Symmetric mean absolute percentage error of the formula at the measured points, 0..2.';
COMMENT ON COLUMN scaling_models.cv_error IS 'Relative error of the last counts as the model predicts them from those before; NULL where a law follows from four counts and not from three.';
COMMENT ON COLUMN scaling_models.points IS 'Counts that were used.';
COMMENT ON COLUMN scaling_models.repetitions IS 'Most repetitions at a count.';
COMMENT ON COLUMN scaling_models.exponent IS 'Slope of the prediction from the largest count to twice that, in logarithms: -1 is perfect strong scaling, 0 a constant.';
COMMENT ON COLUMN scaling_models.exponent_low IS 'Lower end of the exponent''s 90 % interval.';
COMMENT ON COLUMN scaling_models.exponent_high IS 'Upper end of the exponent''s 90 % interval.';
COMMENT ON COLUMN scaling_models.scaling IS 'strong or weak (scaling_sets.scaling).';
COMMENT ON COLUMN scaling_models.flags IS 'What to keep in mind, in words: no model, too few points, outlier, zero times dropped, missing counts, noise, repetitions differ tenfold, poor fit (no smooth law comes within 20 % of the points), formula_disagrees, not extrapolatable, scaling assumed.';

CREATE TABLE scaling_surfaces (
    set_id BIGINT,
    app VARCHAR,
    version VARCHAR,
    machine VARCHAR,
    function VARCHAR,
    kind VARCHAR,
    formula VARCHAR,
    terms STRUCT(factor DOUBLE, p_exponent DOUBLE, p_log DOUBLE, n_exponent DOUBLE, n_log DOUBLE)[],
    r2 DOUBLE,
    smape DOUBLE,
    cv_error DOUBLE,
    points INTEGER,
    flags VARCHAR[]
);
COMMENT ON TABLE scaling_surfaces IS 'One row is one function of a set of runs with several problem sizes, and how its time changes with the parallelism p and the problem size n.';
COMMENT ON COLUMN scaling_surfaces.set_id IS 'Set of runs that are modelled together: a number of application, version and machine.';
COMMENT ON COLUMN scaling_surfaces.app IS 'Application.';
COMMENT ON COLUMN scaling_surfaces.version IS 'Version.';
COMMENT ON COLUMN scaling_surfaces.machine IS 'Machine.';
COMMENT ON COLUMN scaling_surfaces.function IS 'Function.';
COMMENT ON COLUMN scaling_surfaces.kind IS 'Kind, as in scaling_points.';
COMMENT ON COLUMN scaling_surfaces.formula IS 'Formula, seconds by p and n: a constant and up to two products of a term in p and one in n. NULL where there are too few points.';
COMMENT ON COLUMN scaling_surfaces.terms IS 'Its terms: factor * p^p_exponent * log2(p)^p_log * n^n_exponent * log2(n)^n_log.';
COMMENT ON COLUMN scaling_surfaces.r2 IS 'Coefficient of determination.';
COMMENT ON COLUMN scaling_surfaces.smape IS 'Symmetric mean absolute percentage error at the measured points, 0..2.';
COMMENT ON COLUMN scaling_surfaces.cv_error IS 'Relative error by generalised cross-validation (root mean square).';
COMMENT ON COLUMN scaling_surfaces.points IS 'Points: pairs of parallelism and problem size.';
COMMENT ON COLUMN scaling_surfaces.flags IS 'Why there is no model.';

CREATE TABLE program_times (
    set_id BIGINT,
    app VARCHAR,
    version VARCHAR,
    machine VARCHAR,
    parallelism BIGINT,
    basis VARCHAR,
    seconds DOUBLE,
    scatter DOUBLE
);
COMMENT ON TABLE program_times IS 'One row is the measured time of the program of a set of runs (same application, version and machine) at one parallelism.';
COMMENT ON COLUMN program_times.set_id IS 'Set of runs that are modelled together: a number of application, version and machine.';
COMMENT ON COLUMN program_times.app IS 'Application.';
COMMENT ON COLUMN program_times.version IS 'Version.';
COMMENT ON COLUMN program_times.machine IS 'Machine.';
COMMENT ON COLUMN program_times.parallelism IS 'Parallelism, as in scaling_points.';
COMMENT ON COLUMN program_times.basis IS 'What the time is, the same at all counts of a set: wall time (runs.wall_seconds, else the inclusive time of the outermost function), else slowest rank (own times of its functions added up), else sum of rank means (of each function the mean over ranks, added up: cost rather than time).';
COMMENT ON COLUMN program_times.seconds IS 'Time, s; median of the repetitions.';
COMMENT ON COLUMN program_times.scatter IS 'Standard deviation of the repetitions over their mean; 0 where there is only one, and for a sum of rank means.';

CREATE TABLE program_turning_points (
    set_id BIGINT,
    app VARCHAR,
    version VARCHAR,
    machine VARCHAR,
    basis VARCHAR,
    fastest BIGINT,
    low DOUBLE,
    high DOUBLE,
    flags VARCHAR[]
);
COMMENT ON TABLE program_turning_points IS 'One row is one set of runs (same application, version and machine) and the count beyond which more processes make its program slower. The same holds of weak scaling, where the problem grows, too.';
COMMENT ON COLUMN program_turning_points.set_id IS 'Set of runs that are modelled together: a number of application, version and machine.';
COMMENT ON COLUMN program_turning_points.app IS 'Application.';
COMMENT ON COLUMN program_turning_points.version IS 'Version.';
COMMENT ON COLUMN program_turning_points.machine IS 'Machine.';
COMMENT ON COLUMN program_turning_points.basis IS 'What the time is (program_times.basis).';
COMMENT ON COLUMN program_turning_points.fastest IS 'The measured count with the shortest time; of equal times the largest.';
COMMENT ON COLUMN program_turning_points.low IS 'Lower end of the 90 % interval of the fastest count, measured or not. NULL where it is unknown, for the reason in flags.';
COMMENT ON COLUMN program_turning_points.high IS 'Upper end, at most the first count, of two an octave, from which on the intervals of program_predict leave none that may be the fastest; NULL where it is unknown, or where the program may get faster up to 64 times the largest count, or is measured and predicted to.';
COMMENT ON COLUMN program_turning_points.flags IS 'What to keep in mind: no model, too few points, outlier, poor fit, not extrapolatable (as in scaling_models.flags).';

CREATE TABLE program_models (
    set_id BIGINT,
    app VARCHAR,
    version VARCHAR,
    machine VARCHAR,
    scaling VARCHAR,
    basis VARCHAR,
    problem_size DOUBLE,
    smallest INTEGER,
    largest INTEGER,
    seconds_smallest DOUBLE,
    seconds_largest DOUBLE,
    functions BIGINT,
    modelled BIGINT,
    covered DOUBLE,
    formula VARCHAR,
    parameters MAP(VARCHAR, DOUBLE),
    r2 DOUBLE,
    smape DOUBLE,
    cv_error DOUBLE,
    points INTEGER,
    repetitions INTEGER,
    exponent DOUBLE,
    flags VARCHAR[]
);
COMMENT ON TABLE program_models IS 'One row is one set of runs (same application, version and machine) and how the time of its program changes with the parallelism p.';
COMMENT ON COLUMN program_models.set_id IS 'Set of runs that are modelled together: a number of application, version and machine.';
COMMENT ON COLUMN program_models.app IS 'Application.';
COMMENT ON COLUMN program_models.version IS 'Version.';
COMMENT ON COLUMN program_models.machine IS 'Machine.';
COMMENT ON COLUMN program_models.scaling IS 'strong or weak (scaling_sets.scaling).';
COMMENT ON COLUMN program_models.basis IS 'What the time is: wall time, slowest rank or sum of rank means (program_times.basis).';
COMMENT ON COLUMN program_models.problem_size IS 'Problem size that is modelled (scaling_sets.problem_size).';
COMMENT ON COLUMN program_models.smallest IS 'Smallest parallelism measured.';
COMMENT ON COLUMN program_models.largest IS 'Largest parallelism measured.';
COMMENT ON COLUMN program_models.seconds_smallest IS 'Measured time at the smallest parallelism (program_times.seconds), s.';
COMMENT ON COLUMN program_models.seconds_largest IS 'Measured time at the largest parallelism, s.';
COMMENT ON COLUMN program_models.functions IS 'Functions.';
COMMENT ON COLUMN program_models.modelled IS 'Functions that have a model.';
COMMENT ON COLUMN program_models.covered IS 'Their share of the time at the largest parallelism, 0..1.';
COMMENT ON COLUMN program_models.formula IS 'Formula of the time, seconds by p. It is what program_predict predicts, unless formula_disagrees is among the flags: more than 10 % off up to eight times the largest count.';
COMMENT ON COLUMN program_models.parameters IS 'Its parameters, as in scaling_models: a*p^-b + c*p^d + e, or those of the kind of the only function.';
COMMENT ON COLUMN program_models.r2 IS 'Coefficient of determination of the formula.';
COMMENT ON COLUMN program_models.smape IS 'Symmetric mean absolute percentage error of the formula, 0..2.';
COMMENT ON COLUMN program_models.cv_error IS 'Relative error with which the last counts of the measured times are predicted from those before; NULL where a law follows from four counts and not from three.';
COMMENT ON COLUMN program_models.points IS 'Counts that were used.';
COMMENT ON COLUMN program_models.repetitions IS 'Most repetitions at a count.';
COMMENT ON COLUMN program_models.exponent IS 'Slope of the prediction from the largest count to twice that, in logarithms.';
COMMENT ON COLUMN program_models.flags IS 'What to keep in mind, in words.';
