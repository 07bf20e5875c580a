-- Times of functions, and how they scale with the count of processes.

CREATE TABLE fn_timings ( -- One row is the time of one function in one measurement.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    function VARCHAR NOT NULL, -- Function, as the tool names it, without its line where no other function of the recording has that name in that file.
    callpath VARCHAR, -- Call path down to the function, joined with ->; NULL in flat profiles.
    kind VARCHAR, -- Kind of the function by the tool (computation, mpi, io ...); NULL where it records none.
    parallelism INTEGER, -- Processes (or what the program is scaled by) in this measurement.
    rank INTEGER, -- MPI rank; NULL where the time is of the whole program or a mean over ranks.
    thread BIGINT, -- Thread; NULL where the time is of the process.
    repetition INTEGER, -- Repetition of the same measurement, from 0.
    seconds DOUBLE, -- Exclusive time (the function's own, without callees), s. In traces with work of a device: NULL for marks and ranges, and of calls that wait or copy, the time in which no device worked.
    inclusive_seconds DOUBLE, -- Time with callees, s.
    calls BIGINT, -- Times it was called.
    source_line INTEGER, -- Line of its source file at which the tool places the function, where that is not in its name; NULL where it is unknown.
    device VARCHAR -- Device that executed it (a kernel, copy or fill), where a trace shows when; NULL for functions of the host.
);

CREATE TABLE function_kinds ( -- One row is a function and its kind. A row of the user's has precedence over those that pwh brings; of two equal ones the last.
    function VARCHAR NOT NULL, -- Name of the function, or a pattern with *, ? and [...], case-sensitive. Calls of MPI and SHMEM match in all their spellings (MPI_Send: pmpi_send_, MPI_SEND, MPI_Send(), MPI_Send_c, MPI::Comm::Send, mpi_send_(sync), libmpi.so!PMPI_Send ...).
    kind VARCHAR NOT NULL, -- computation, blocking point-to-point, non-blocking point-to-point, n-to-n collective, n-to-1 and 1-to-n collective, or total: the time of a whole run, that no function is part of.
    shipped BOOLEAN NOT NULL DEFAULT false -- Whether the row came with pwh.
);

CREATE TABLE scaling_sets ( -- One row is one set of runs that are modelled together: those of the same application, version and machine.
    set_id BIGINT, -- Set of runs that are modelled together: a number of application, version and machine.
    app VARCHAR, -- Application.
    version VARCHAR, -- Version.
    machine VARCHAR, -- Machine.
    scaling VARCHAR, -- strong: the work of the whole problem is fixed; weak: the problem grows with the parallelism, so the work of each process is fixed: by the sizes, or, where these are unknown or do not change, as the computation of a process takes as long at all counts. strong where neither tells.
    assumed BOOLEAN, -- Whether scaling is the default, or follows from times, because the problem sizes of the runs are unknown or those of a process.
    crossed BOOLEAN, -- Whether several problem sizes were run at the same parallelism, so that both parameters can be modelled.
    problem_size DOUBLE, -- The set's own problem size: the only one, or of several the one run at most counts (the largest of these); NULL where it is unknown or grows with the parallelism.
    problem_sizes BIGINT, -- Different problem sizes.
    counts BIGINT, -- Different counts (parallelism).
    smallest INTEGER, -- Smallest parallelism measured.
    largest INTEGER, -- Largest parallelism measured.
    growth DOUBLE, -- Exponent with which the problem size grows with the parallelism; 1 is weak scaling proper.
    cores_each DOUBLE, -- Cores for each unit of parallelism (threads of a rank); NULL where that is nodes whose cores are unknown.
    flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[], -- What was assumed, and what speaks against one problem: scaling_assumed, weak_in_part, sizes_differ, several_problems (tags by which runs at one count differ, if their times do by more than a quarter).
    parameter VARCHAR, -- Name of what the set is scaled by, as in scaling_runs.
    parameter_kind VARCHAR, -- What that is: processes, threads, nodes, blocks, size or other. Speed-up, efficiency, core hours and turning points exist for the first four, which are counts.
    capacity INTEGER -- Blocks beyond which no more run at once: the multiprocessors of the GPU, by the tag multiprocessors; NULL where it is unknown or the set is not scaled by blocks.
);

CREATE TABLE scaling_series ( -- One row is the series of one function of a set of runs, at the set's own problem size.
    set_id BIGINT, -- Set of runs that are modelled together: a number of application, version and machine.
    app VARCHAR, -- Application.
    version VARCHAR, -- Version.
    machine VARCHAR, -- Machine.
    function VARCHAR, -- Function.
    kind VARCHAR, -- Kind, as in scaling_points.
    x DOUBLE[], -- Parallelism of the points with a time above zero, ascending.
    y DOUBLE[], -- Their times, s.
    noise DOUBLE, -- Scatter of the repetitions (standard deviation over mean): the median over the counts, or that of the largest count where it is more; 0 where there is only one.
    repetitions INTEGER, -- Most repetitions at a count.
    seen_last BOOLEAN, -- Whether it took time at the largest count at which functions (or whole runs, for those of kind total) were measured. If not it may have stopped being called, so nothing is predicted of it.
    in_program BOOLEAN, -- Whether its time is a part of the program's: whole-run rows (kind total) are only where nothing else was measured.
    flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[] -- What is amiss with the measurements: no_model_stopped, no_model_zero, no_model_zero_last (why there is no model), zero_times, negative_times, missing_counts, noise, repetitions_differ.
);

CREATE TABLE scaling_models ( -- One row is one function of a set of runs (same application, version and machine), and how its time changes with the parallelism p.
    set_id BIGINT, -- Set of runs that are modelled together: a number of application, version and machine.
    app VARCHAR, -- Application.
    version VARCHAR, -- Version.
    machine VARCHAR, -- Machine.
    function VARCHAR, -- Function.
    kind VARCHAR, -- Kind, which decides the terms that the model may have.
    formula VARCHAR, -- The law by which scaling_predict predicts beyond the largest count, seconds by p. Where no law is carried by the points a mixture of models predicts: then it is the formula nearest to that, and formula_disagrees is among the flags if it is more than 10 % off up to eight times the largest count. NULL where there is no model.
    parameters MAP(VARCHAR, DOUBLE), -- Parameters of the formula, by the letters of the kind's basis. computation and non-blocking point-to-point: a*p^-b + c*p^d + e; blocking point-to-point: a*p^b + c*log2(p) + d; n-to-n: a*log2(p) + b*p^c + d; n-to-1 and 1-to-n: (a*p^b + c)*log2(p) + d; the last three may have g*p^-h too. log_exponent is the power of log2(p) in the growing term; limit and half are those of limit*p/(p + half).
    r2 DOUBLE, -- Coefficient of determination of the formula at the measured points; NULL where all times are the same.
    smape DOUBLE, -- Symmetric mean absolute percentage error of the formula at the measured points, 0..2.
    cv_error DOUBLE, -- Relative error of the last counts as the model predicts them from those before; NULL where a law follows from four counts and not from three.
    points BIGINT, -- Counts that were used.
    repetitions INTEGER, -- Most repetitions at a count.
    exponent DOUBLE, -- Slope of the prediction from the largest count to twice that, in logarithms: -1 is perfect strong scaling, 0 a constant.
    exponent_low DOUBLE, -- Lower end of the exponent's 90 % interval.
    exponent_high DOUBLE, -- Upper end of the exponent's 90 % interval.
    scaling VARCHAR, -- strong or weak (scaling_sets.scaling).
    flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[] -- What to keep in mind: those of scaling_series and scaling_sets; no_model_few_counts, few_counts, outlier, new_regime (the law of the counts from there on predicts), poor_fit (no law comes within 20 % of the points), formula_off (nor does the formula), formula_disagrees; break_not_extrapolatable (another law may begin at one of the last two counts), times_rounded, last_counts_off (it cannot be extrapolated).
);

CREATE TABLE scaling_surfaces ( -- One row is one function of a set of runs with several problem sizes, and how its time changes with the parallelism p and the problem size n.
    set_id BIGINT, -- Set of runs that are modelled together: a number of application, version and machine.
    app VARCHAR, -- Application.
    version VARCHAR, -- Version.
    machine VARCHAR, -- Machine.
    function VARCHAR, -- Function.
    kind VARCHAR, -- Kind, as in scaling_points.
    formula VARCHAR, -- Formula, seconds by p and n: a constant and up to two products of a term in p and one in n. NULL where there are too few points.
    terms STRUCT(factor DOUBLE, p_exponent DOUBLE, p_log DOUBLE, n_exponent DOUBLE, n_log DOUBLE)[], -- Its terms: factor * p^p_exponent * log2(p)^p_log * n^n_exponent * log2(n)^n_log.
    r2 DOUBLE, -- Coefficient of determination.
    smape DOUBLE, -- Symmetric mean absolute percentage error at the measured points, 0..2.
    cv_error DOUBLE, -- Relative error by generalised cross-validation (root mean square).
    points INTEGER, -- Points: pairs of parallelism and problem size.
    flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[] -- Why there is no model: no_size_model_few.
);

CREATE TABLE program_times ( -- One row is the measured time of the program of a set of runs (same application, version and machine) at one parallelism.
    set_id BIGINT, -- Set of runs that are modelled together: a number of application, version and machine.
    app VARCHAR, -- Application.
    version VARCHAR, -- Version.
    machine VARCHAR, -- Machine.
    parallelism BIGINT, -- Parallelism, as in scaling_points.
    basis VARCHAR, -- What the time is, the same at all counts of a set: wall time (runs.wall_seconds, else the inclusive time of the outermost function), else slowest rank (own times of its functions added up), else sum of rank means (of each function the mean over ranks, added up: cost rather than time).
    seconds DOUBLE, -- Time, s; median of the repetitions.
    scatter DOUBLE -- Standard deviation of the repetitions over their mean; 0 where there is only one, and for a sum of rank means.
);

CREATE TABLE program_turning_points ( -- One row is one set of runs (same application, version and machine), the count beyond which more processes make its program slower, and the largest at which it is efficient. The first holds of weak scaling, where the problem grows, too.
    set_id BIGINT, -- Set of runs that are modelled together: a number of application, version and machine.
    app VARCHAR, -- Application.
    version VARCHAR, -- Version.
    machine VARCHAR, -- Machine.
    basis VARCHAR, -- What the time is (program_times.basis).
    fastest BIGINT, -- The measured count with the shortest time; of equal times the largest.
    low DOUBLE, -- Lower end of the 90 % interval of turning. NULL where it is unknown, for the reason in flags; the smallest count where any may be it.
    high DOUBLE, -- Upper end: at most the first count, of two an octave, from which on the intervals of program_predict leave none that may be the fastest; NULL where it is unknown, or where the program may get faster up to 64 times the largest count, or is measured and predicted to.
    flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[], -- What to keep in mind, as in scaling_models: no_model_few_counts, few_counts, outlier, new_regime, poor_fit, break_not_extrapolatable, times_rounded, last_counts_off.
    turning BIGINT, -- The count beyond which it gets slower, by its measured and predicted times up to 64 times the largest count; that where it gets faster all the way. NULL where it is unknown.
    is_predicted BOOLEAN, -- Whether predicted times grow beyond turning; false where they are shorter far beyond the measured ones.
    efficient BIGINT, -- The largest count with an efficiency of half or more, against the smallest count; 64 times the largest where it is so all the way. NULL where it is unknown, or less everywhere.
    efficient_low BIGINT, -- Lower end of its 90 % interval.
    efficient_high BIGINT, -- Upper end.
    times STRUCT(count BIGINT, seconds DOUBLE)[] -- The times of which this follows, s: at the measured counts and two an octave, up to 64 times the largest, without those that are guesses (program_predict).
);

CREATE TABLE program_models ( -- One row is one set of runs (same application, version and machine) and how the time of its program changes with the parallelism p.
    set_id BIGINT, -- Set of runs that are modelled together: a number of application, version and machine.
    app VARCHAR, -- Application.
    version VARCHAR, -- Version.
    machine VARCHAR, -- Machine.
    scaling VARCHAR, -- strong or weak (scaling_sets.scaling).
    basis VARCHAR, -- What the time is: wall time, slowest rank or sum of rank means (program_times.basis).
    problem_size DOUBLE, -- Problem size that is modelled (scaling_sets.problem_size).
    smallest INTEGER, -- Smallest parallelism measured.
    largest INTEGER, -- Largest parallelism measured.
    seconds_smallest DOUBLE, -- Measured time at the smallest parallelism (program_times.seconds), s.
    seconds_largest DOUBLE, -- Measured time at the largest parallelism, s.
    functions BIGINT, -- Functions.
    modelled BIGINT, -- Functions that have a model.
    covered DOUBLE, -- Their share of the time at the largest parallelism, 0..1.
    formula VARCHAR, -- Formula of the time, seconds by p. It is what program_predict predicts, unless formula_disagrees or sum_disagrees is among the flags: more than 10 % off up to eight times the largest count.
    parameters MAP(VARCHAR, DOUBLE), -- Its parameters, as in scaling_models: a*p^-b + c*p^d + e, or those of the kind of the only function.
    r2 DOUBLE, -- Coefficient of determination of the formula.
    smape DOUBLE, -- Symmetric mean absolute percentage error of the formula, 0..2.
    cv_error DOUBLE, -- Relative error with which the last counts of the measured times are predicted from those before; NULL where a law follows from four counts and not from three.
    points INTEGER, -- Counts that were used.
    repetitions INTEGER, -- Most repetitions at a count.
    exponent DOUBLE, -- Slope of the prediction from the largest count to twice that, in logarithms.
    flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[] -- What to keep in mind: those of scaling_sets, and of scaling_models; no_model_untimed, functions_without_model, sum_disagrees, perhaps_weak (the time hardly falls: perhaps the problem size is that of one process).
);

CREATE TABLE speedup_laws ( -- One row is a law of speed-up fitted to the measured times of a set of runs that is scaled by a count, against its smallest count; three counts at least.
    set_id BIGINT, -- Set of runs that are modelled together: a number of application, version and machine.
    app VARCHAR, -- Application.
    version VARCHAR, -- Version.
    machine VARCHAR, -- Machine.
    law VARCHAR, -- Amdahl: r / (1 + a (r - 1)) of r times the smallest count; Gustafson: r - a (r - 1); USL, the universal scalability law: r / (1 + a (r - 1) + b r (r - 1)).
    serial DOUBLE, -- a: the serial part of the work, or contention, 0..1.
    serial_low DOUBLE, -- Lower end of its 90 % interval.
    serial_high DOUBLE, -- Upper end of its 90 % interval.
    coherence DOUBLE, -- b: what all exchange with all; NULL except for USL.
    coherence_low DOUBLE, -- Lower end of its 90 % interval.
    coherence_high DOUBLE, -- Upper end of its 90 % interval.
    most DOUBLE, -- The largest speed-up by the law, against the smallest count; NULL where it grows without limit.
    peak DOUBLE, -- The count at which that is; NULL where the law only approaches it.
    smape DOUBLE -- Symmetric mean absolute relative error at the measured counts.
);

CREATE TABLE _forecasts ( -- One row is the program of a set of runs, or one of its functions, and what it is predicted to take.
    set_id BIGINT, -- Set of runs (scaling_sets.set_id).
    function VARCHAR, -- Function; NULL for the program.
    counts BIGINT[], -- Counts, ascending.
    forecast STRUCT( -- Predicted times at these counts, s, with 90 % intervals, and what to keep in mind.
        seconds DOUBLE[], low DOUBLE[], high DOUBLE[], flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[]
    )
);
