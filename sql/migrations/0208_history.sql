-- Series of scalars over time, their changes, explanations and manual annotations.

CREATE TABLE run_scalars ( -- One row is one scalar of a run, as added up in the transaction that landed its files. Read run_metrics instead: it has them with the facts of their run.
    run_id VARCHAR NOT NULL, -- Run (runs.run_id).
    metric VARCHAR NOT NULL, -- Metric (run_metrics.metric).
    value DOUBLE NOT NULL, -- Its value.
    unit VARCHAR, -- Unit; 1 for a share, NULL where there is none or the tool does not record it.
    measurements DOUBLE, -- Measurements that it rests on, where that is known: repetitions within the run, or about how many samples of a profiler.
    deviation DOUBLE -- Standard deviation of one measurement over their mean; 0 of what the tool counts exactly, NULL where it is not known, or its samples say it.
);

CREATE TABLE kept_runs ( -- One row is a run whose scalars are in run_scalars. After changing rows of a run by hand delete its row here and run pwh migrate.
    run_id VARCHAR NOT NULL, -- Run (runs.run_id).
    revision VARCHAR, -- Digest of the SQL by which the scalars were added up; pwh migrate adds them up again where it is not that of this pwh.
    rows MAP(VARCHAR, BIGINT) -- Number of its rows by landing table; those without any are left out.
);

CREATE TABLE series_fields ( -- One row is a field that has the same value in all runs of a series, in addition to the application. A run without it is in no series with runs that have it. Add a tag (compiler, cpu_model ...) to separate machines by it, delete a row to join them.
    field VARCHAR NOT NULL PRIMARY KEY, -- machine, nodes, ranks, threads or problem_size of runs, or the key of a tag (runs.tags).
    shipped BOOLEAN NOT NULL DEFAULT false -- Whether the row came with pwh.
);

INSERT INTO series_fields
SELECT unnest([
    'machine', 'nodes', 'ranks', 'threads', 'problem_size', 'arguments', 'profiler',
    'variables', 'benchmark', 'environment'
]), true;

CREATE TABLE change_thresholds ( -- One row defines what counts as a change in the series that it matches; where it is NULL another row that matches decides. A row of the user's has precedence over those that pwh brings, then the row with more letters that are no wildcards, then the last.
    app VARCHAR NOT NULL DEFAULT '*', -- Application, or a pattern with * and ?.
    machine VARCHAR NOT NULL DEFAULT '*', -- Machine, or a pattern; * also matches runs whose machine is unknown.
    metric VARCHAR NOT NULL DEFAULT '*', -- Metric (run_metrics.metric), or a pattern.
    significance DOUBLE CHECK (significance > 0 AND significance < 1), -- Probability with which a series without a change may show one: larger finds more and errs more.
    smallest_change DOUBLE CHECK (smallest_change >= 0), -- Smallest relative change that is reported: 0.05 is 5 %.
    better VARCHAR CHECK (better IN ('lower', 'higher', 'neither')), -- Which values are better: lower, higher or neither.
    shipped BOOLEAN NOT NULL DEFAULT false -- Whether the row came with pwh.
);

INSERT INTO change_thresholds (metric, significance, smallest_change, shipped) VALUES ('*', 0.002, 0, true);
INSERT INTO change_thresholds (metric, better, shipped)
SELECT unnest(metrics), better, true
FROM (
    VALUES
    ('lower', [
        'wall_seconds', 'seconds:*', 'functions:seconds', 'counter:*cycles*',
        'tasks:idle_share', 'tasks:tail_share', 'cost:*', 'functions:*',
        'counter:*task-clock*', 'counter:*cpu-clock*', 'counter:*duration_time*',
        'counter:*user_time*', 'counter:*system_time*', 'counter:*faults*',
        'counter:*context-switches*', 'counter:*cpu-migrations*', 'counter:*energy*',
        'counter:*allocat*', 'counter:*alloc*bytes*', 'counter:*bytes*alloc*',
        'counter:*max*rss*', 'counter:*misses*', 'counter:*-miss*', 'counter:*_miss*',
        'counter:*.miss*', 'counter:*Miss*', 'counter:*MISS*', 'counter:PAPI_L[123]_?CM',
        'counter:PAPI_TLB_?M', 'counter:Ir', 'counter:[ID]?m[rw]'
    ]),
    ('higher', ['tasks:busy_share', 'segments:ipc']),
    ('neither', ['per_cycle:*', 'metric:run_delay'])
) AS directions (better, metrics);

CREATE TABLE acknowledgements ( -- One row is a manual annotation (pwh events, pwh ack) of a change, named by its first run, or of an invalid run. It applies to changes of the application that are at that version, or within three runs of that start, because more runs may move a change by a few; of several the latest counts, which repeats what it leaves as it was. Invalid runs are in no series.
    event_id BIGINT, -- Event (change_events.event_id) of the change, to which it applies wherever later runs move that; NULL where the run is not the first of one.
    run_id VARCHAR NOT NULL, -- Run: the first after the change, or the invalid one.
    app VARCHAR NOT NULL, -- Its application.
    version VARCHAR, -- Its version.
    started_at TIMESTAMPTZ NOT NULL, -- When its commit was made, else when it started: where its history has the change.
    metric VARCHAR NOT NULL DEFAULT '*', -- Metrics to which it applies: a name or a pattern with * and ?.
    reason VARCHAR NOT NULL CHECK (reason IN ('new', 'investigating', 'expected', 'noise', 'invalid run', 'fixed')), -- new: nothing is decided; investigating: somebody looks for the cause; expected: an intended change; noise: no change of the program; invalid run: the run was measured wrongly; fixed: a later version undoes the change, as later runs have to show (change_events.fix). Of new and investigating the change stays open.
    fixed_in VARCHAR, -- Version, or commit by its first seven digits or more, that undoes the change, where reason is fixed.
    owner VARCHAR, -- Who takes care of it.
    ticket VARCHAR, -- Address of the ticket.
    note VARCHAR, -- Anything else.
    said_by VARCHAR, -- Author of the annotation.
    said_at TIMESTAMPTZ NOT NULL, -- When it was given.
    CHECK (fixed_in IS NULL OR reason = 'fixed')
);

CREATE TABLE run_groups ( -- One row is a run and what it is analysed together with.
    run_id VARCHAR NOT NULL, -- Run (runs.run_id).
    app VARCHAR, -- Application.
    configuration_id BIGINT, -- Number of what its application and fields are: runs with the same number are in the same series. NULL for runs that are in none: failed ones, invalid ones (acknowledgements), and those without an application.
    fields MAP(VARCHAR, VARCHAR), -- Its values of the fields of series_fields; unknown ones are left out. NULL for failed and invalid runs.
    "commit" VARCHAR, -- Its commit (runs.commit).
    set_id BIGINT, -- Number of its application, version and machine: runs with the same number are one set of scaling_sets. NULL for failed runs.
    content UBIGINT, -- Digest of all that is known of the run and of the files that it is made of.
    branch VARCHAR, -- Its branch (runs.branch), else the one that git has its commit on, unless that was merged.
    on_default BOOLEAN, -- Whether git has its commit on the default branch: as one of its first parents, or merged and no other branch is stated. NULL where git does not know.
    repository VARCHAR, -- Repository of its commit (commits.repository).
    position BIGINT, -- Place of its commit in the history (commits.position).
    fork_position BIGINT, -- Where its branch left the history (commits.fork_position).
    committed_at TIMESTAMPTZ -- When its commit was made, by git, else by the file.
);

CREATE TABLE series ( -- One row is a series of metric_series and all that is found in it. Read change_points, provisional_changes, disturbances and series_states instead: they have it a row each.
    series_id BIGINT NOT NULL, -- Number of the series: the same in every warehouse for the same application, fields and metric.
    app VARCHAR NOT NULL, -- Application.
    machine VARCHAR, -- Machine (metric_series.machine).
    fields MAP(VARCHAR, VARCHAR) NOT NULL, -- What the runs of the series have in common (series_fields).
    metric VARCHAR NOT NULL, -- Metric (run_metrics.metric).
    unit VARCHAR, -- Unit of its values.
    points INTEGER NOT NULL, -- Runs in the series.
    significance DOUBLE, -- The largest p_value that counts, as set for the series (change_thresholds).
    smallest_change DOUBLE, -- Smallest relative change that is reported, as set for the series (change_thresholds).
    state VARCHAR NOT NULL, -- Its state (series_states.state).
    level DOUBLE, -- Median since the last change.
    smallest_visible DOUBLE, -- Smallest lasting relative change that would be found (series_states.smallest_visible).
    low DOUBLE, -- Lower one of two levels that alternate.
    high DOUBLE, -- Upper one of two levels that alternate.
    high_share DOUBLE, -- Share of the runs in the upper level.
    drift DOUBLE, -- Rise of a series that drifts, relative to level (series_states.drift).
    latest_outlier DOUBLE, -- Value of the latest run, where it is far from the level (series_states.latest_outlier).
    latest_outlier_run_id VARCHAR, -- That run.
    overall_change DOUBLE, -- Relative difference of the last and the first quarter (series_states.overall_change).
    changes_of_any_size INTEGER NOT NULL, -- Number of its changes, also of those that are smaller than smallest_change.
    provisional_of_any_size INTEGER NOT NULL, -- Number of its provisional changes, likewise.
    changes STRUCT( -- Certain changes (more_runs is NULL) and provisional ones, with the first run after and the last before (change_points, provisional_changes). An annotation that started after near_after and not after near_until is of this change. next_run_id: first run after the next change; runs and against: of a certain change the runs on both sides, up to the next and the previous one, of which the 30 nearest, 8 in a series that drifts.
        "index" INTEGER, "before" DOUBLE, "after" DOUBLE, p_value DOUBLE, more_runs INTEGER,
        run_id VARCHAR, version VARCHAR, "commit" VARCHAR, started_at TIMESTAMPTZ,
        previous_run_id VARCHAR, previous_version VARCHAR, previous_commit VARCHAR,
        near_after TIMESTAMPTZ, near_until TIMESTAMPTZ, next_run_id VARCHAR,
        next_started_at TIMESTAMPTZ, runs VARCHAR[], against VARCHAR[], low DOUBLE, high DOUBLE,
        p_here DOUBLE, runs_before INTEGER, runs_after INTEGER
    )[] NOT NULL,
    disturbances STRUCT( -- Bursts of runs far from the level around them (disturbances).
        "first" INTEGER, "last" INTEGER, usual DOUBLE, disturbed DOUBLE, run_id VARCHAR,
        version VARCHAR, started_at TIMESTAMPTZ, last_run_id VARCHAR, last_version VARCHAR,
        last_started_at TIMESTAMPTZ
    )[] NOT NULL,
    newest_from STRUCT( -- Where its newest version begins, as a place of a change; empty where all runs are of one version.
        "index" INTEGER, run_id VARCHAR, version VARCHAR, "commit" VARCHAR, started_at TIMESTAMPTZ,
        previous_run_id VARCHAR, previous_version VARCHAR, previous_commit VARCHAR,
        near_after TIMESTAMPTZ, near_until TIMESTAMPTZ
    )[]
);

CREATE TABLE _series_parts ( -- One row is a part of a series (all of one with up to 2000 runs), and what was found in it. Read series.
    part_id VARCHAR NOT NULL, -- series_id and part, as text.
    series_id BIGINT NOT NULL, -- Series (series.series_id).
    part INTEGER NOT NULL, -- Part, from 0: runs from 1000 times this on, 2000 of them.
    app VARCHAR NOT NULL, -- Application.
    points INTEGER NOT NULL, -- Runs in the part.
    before_next INTEGER NOT NULL, -- Those of them that are before the next part.
    opening DOUBLE, -- Median of the first quarter of its runs.
    closing DOUBLE, -- Median of the last quarter.
    changes_of_any_size INTEGER NOT NULL, -- Number of its changes, also of those that are smaller than smallest_change.
    machine VARCHAR, -- As series.machine, of the part.
    fields MAP(VARCHAR, VARCHAR) NOT NULL, -- As series.fields, of the part.
    metric VARCHAR NOT NULL, -- As series.metric, of the part.
    unit VARCHAR, -- As series.unit, of the part.
    significance DOUBLE, -- As series.significance, of the part.
    smallest_change DOUBLE, -- As series.smallest_change, of the part.
    state VARCHAR NOT NULL, -- As series.state, of the part.
    level DOUBLE, -- As series.level, of the part.
    smallest_visible DOUBLE, -- As series.smallest_visible, of the part.
    low DOUBLE, -- As series.low, of the part.
    high DOUBLE, -- As series.high, of the part.
    high_share DOUBLE, -- As series.high_share, of the part.
    drift DOUBLE, -- As series.drift, of the part.
    latest_outlier DOUBLE, -- As series.latest_outlier, of the part.
    latest_outlier_run_id VARCHAR, -- As series.latest_outlier_run_id, of the part.
    provisional_of_any_size INTEGER NOT NULL, -- As series.provisional_of_any_size, of the part.
    changes STRUCT( -- Changes (series.changes) that count in this part; next_run_id and next_started_at are NULL.
        "index" INTEGER, "before" DOUBLE, "after" DOUBLE, p_value DOUBLE, more_runs INTEGER,
        run_id VARCHAR, version VARCHAR, "commit" VARCHAR, started_at TIMESTAMPTZ,
        previous_run_id VARCHAR, previous_version VARCHAR, previous_commit VARCHAR,
        near_after TIMESTAMPTZ, near_until TIMESTAMPTZ, next_run_id VARCHAR,
        next_started_at TIMESTAMPTZ, runs VARCHAR[], against VARCHAR[], low DOUBLE, high DOUBLE,
        p_here DOUBLE, runs_before INTEGER, runs_after INTEGER
    )[] NOT NULL,
    disturbances STRUCT( -- Bursts (series.disturbances) that count in this part.
        "first" INTEGER, "last" INTEGER, usual DOUBLE, disturbed DOUBLE, run_id VARCHAR,
        version VARCHAR, started_at TIMESTAMPTZ, last_run_id VARCHAR, last_version VARCHAR,
        last_started_at TIMESTAMPTZ
    )[] NOT NULL,
    newest_from STRUCT(
        "index" INTEGER, run_id VARCHAR, version VARCHAR, "commit" VARCHAR, started_at TIMESTAMPTZ,
        previous_run_id VARCHAR, previous_version VARCHAR, previous_commit VARCHAR,
        near_after TIMESTAMPTZ, near_until TIMESTAMPTZ
    )[]
);

CREATE TABLE _change_events ( -- One row is an event, present or withdrawn, with the changes that it consists of: read change_events.
    event_id BIGINT NOT NULL,
    app VARCHAR NOT NULL,
    event VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    version VARCHAR,
    previous_version VARCHAR,
    "commit" VARCHAR,
    previous_commit VARCHAR,
    run_id VARCHAR NOT NULL,
    previous_run_id VARCHAR,
    started_at TIMESTAMPTZ,
    machine VARCHAR,
    metric VARCHAR NOT NULL,
    unit VARCHAR,
    "before" DOUBLE,
    "after" DOUBLE,
    p_value DOUBLE,
    changes STRUCT(
        series_id BIGINT, run_id VARCHAR, started_at TIMESTAMPTZ, near_after TIMESTAMPTZ,
        near_until TIMESTAMPTZ, is_more BOOLEAN
    )[] NOT NULL
);

CREATE TABLE change_explanations ( -- One row is one thing that changed together with a change of the metric that runs are judged by (the tag main_metric, else wall_seconds, else functions:seconds, cycles ..., else results of benchmarks, else counters, else any metric) in change_points. For any two runs: explain_run.
    change_id BIGINT, -- Number of the change: of its application, fields and first run.
    run_id VARCHAR, -- First run after the change.
    app VARCHAR, -- Application.
    machine VARCHAR, -- Machine.
    version VARCHAR, -- Version of that run.
    started_at TIMESTAMPTZ, -- When it started.
    main_metric VARCHAR, -- Metric that got worse.
    main_direction VARCHAR, -- worse or better: the direction of the change; NULL where that is not known.
    runs VARCHAR[], -- Runs after the change, up to the next one, 30 at most, 8 of a series that drifts.
    against VARCHAR[], -- Runs before it, from the change before, likewise.
    topic VARCHAR, -- metric (the main metric itself), cause (what leads: the function with most of it, and the mechanism), function, counter, benchmark (a result of one, or another value of the table metrics), bottleneck, scaling, idle, threads, device, setting (a field or tag that differs between the two sides), or ledger (a part of the difference: difference_ledger).
    subject VARCHAR, -- Function or code region (NULL: all of them together), event, part of the idle time, kernel or field.
    metric VARCHAR, -- What before and after are of: seconds:FUNCTION, per_cycle:EVENT, frac_mem, exponent, starvation_percent, fluctuation ...
    unit VARCHAR, -- Their unit.
    "before" DOUBLE, -- Before the change: the geometric mean of its runs, or the mean where values are not positive (as in comparison; without a function a run spent no time in it).
    "after" DOUBLE, -- The same after it.
    change DOUBLE, -- Relative change: 0.1 is 10 % more; NULL where it was 0 before.
    change_low DOUBLE, -- Lower end of the interval of change, which holds for all metrics together with a probability of 95 %; NULL where it is unbounded or the noise is unknown.
    change_high DOUBLE, -- Upper end of it.
    before_label VARCHAR, -- In words: class of bottleneck, formula, dominant part of the idle time, verdict on threads, setting; of a cause the metric that leads.
    after_label VARCHAR, -- The same after the change.
    share DOUBLE, -- Share of the loss: of functions in that of the main metric, where they are parts of it, else in that of all functions; of regions in the cycles that all counted regions take more. Negative where it took less. NULL where there is no such sum.
    direction VARCHAR, -- worse or better; NULL where that is not known.
    certain BOOLEAN, -- Whether it is beyond noise: of numbers where p_value is below 0.05 (comparison), of exponents where their 90 % intervals do not overlap, of classes where nine of ten runs on both sides agree. NULL: the noise is unknown (flags). Changes within noise have no row, except functions with the flags new, gone, separated or largest.
    p_value DOUBLE, -- Probability of such a difference without a change, corrected for the number of metrics compared; NULL where the noise is unknown, or intervals decide.
    values_before BIGINT, -- Values (of runs, or of launches) that before is the mean of.
    values_after BIGINT, -- Values that after is the mean of.
    calls_before DOUBLE, -- Of functions: calls in a run before, over all ranks and threads (mean); NULL where no tool counted them.
    calls_after DOUBLE, -- The same after.
    noise VARCHAR, -- Where the noise is from: runs, history, other side or usual (comparison); NULL where it is unknown or not needed.
    query VARCHAR, -- SQL that shows the values behind it.
    place BIGINT, -- Place among those of the change, the strongest evidence first, from 1.
    flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[] -- single_run, few_runs (too few to distinguish from noise), new, gone (a function of one side only), separated (every run of one side above every run of the other, but among too many functions to be certain), largest (not certain, but one of the three largest shares of a loss of which other functions explain less than half), same_count (an event per cycle moved because the cycles did, not its count), flags of scaling models.
);

CREATE TABLE version_comparisons ( -- One row is one metric of one configuration, of one of the newest 50 versions of an application against the one before it (app_versions): what comparison(against, runs) returns, stored. pwh compare, gate and the page Compare read it for these.
    series_id BIGINT, -- Series of the metric after (series.series_id); NULL where its runs are in none.
    app VARCHAR NOT NULL, -- Application.
    machine VARCHAR, -- Machine of the version; of several one of them.
    version VARCHAR NOT NULL, -- The later version.
    previous_version VARCHAR NOT NULL, -- The one before it.
    fields_before MAP(VARCHAR, VARCHAR), -- What the runs before have in common (run_configurations.configuration); NULL where there are none.
    fields_after MAP(VARCHAR, VARCHAR), -- The same after.
    metric VARCHAR NOT NULL, -- Metric (run_metrics.metric, and idle:... of tasks).
    unit VARCHAR, -- Unit of before and after.
    verdict VARCHAR NOT NULL, -- worse, better, changed, same, uncertain, unknown, new or gone, as of comparison.
    "before" DOUBLE, -- Geometric mean of the runs of the version before, or mean where values are not positive.
    "after" DOUBLE, -- The same of the later version.
    ratio DOUBLE, -- after over before; NULL where there is none.
    low DOUBLE, -- Lower end of its interval, which holds for all metrics of the two versions together with a probability of 95 %; NULL where it is unbounded or the noise is unknown.
    high DOUBLE, -- Upper end of it.
    p_value DOUBLE, -- Probability of such a difference without a change, corrected for the number of metrics; NULL where the noise is unknown.
    runs_before BIGINT NOT NULL, -- Runs that before is the mean of.
    runs_after BIGINT NOT NULL, -- Runs that after is the mean of.
    noise VARCHAR, -- Where the noise is from: runs, history, other side or usual (comparison); NULL where it is unknown.
    runs_to_settle INTEGER, -- How many more runs of each version would show a difference as large, where it is not beyond the noise; NULL beyond 1000, and where a version has one run.
    better VARCHAR, -- lower or higher values; NULL where that is not known.
    smallest_change DOUBLE, -- Smallest relative change that counts (change_thresholds).
    share_before DOUBLE, -- Of functions the share in the time of all before, 0..1.
    share_after DOUBLE, -- The same after.
    place BIGINT NOT NULL, -- Place among the metrics of the two versions, from 1: the worst first, then new functions that take time, then the largest changes.
    direction VARCHAR, -- worse or better, whether it is certain or not; NULL where that is not known.
    certain BOOLEAN, -- Whether the difference is beyond the noise (p_value below 0.05); NULL where the noise is unknown.
    runs VARCHAR[] NOT NULL, -- The runs of the later version (runs.run_id).
    against VARCHAR[] NOT NULL, -- Those of the version before.
    renamed_from VARCHAR, -- Of functions that were moved or renamed the name before; NULL of others.
    pair_id BIGINT -- The two versions, the same number for life.
);

CREATE TABLE notification_rules ( -- One row is a rule of pwh notify: what is sent to whom.
    rule_id BIGINT NOT NULL, -- Number of the rule.
    what VARCHAR NOT NULL, -- changes: events (change_events) that are open and not for the better; silence: an application of which nothing arrived for some days; gone: a metric that the newest version of an application lacks.
    app VARCHAR NOT NULL, -- Application, or a pattern with * and ?.
    metric VARCHAR NOT NULL, -- Metric, likewise; of silence it counts for nothing.
    least DOUBLE, -- Smallest relative change: 0.05 is 5 %; NULL: any.
    days DOUBLE, -- Of silence: its days.
    recipient VARCHAR NOT NULL -- Where the address is, never itself: env:NAME (a variable of the environment) or file:PATH.
);

CREATE TABLE notifications ( -- One row is something that a recipient was told (pwh notify), and is not told again.
    recipient VARCHAR NOT NULL, -- Recipient (notification_rules.recipient).
    subject VARCHAR NOT NULL, -- What it was about: an event, and when it was reopened; an application and its last run; a metric, its machine and the version that lacks it.
    sent_at TIMESTAMPTZ -- When it was sent; NULL of changes that were there before the rule.
);
