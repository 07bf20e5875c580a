-- Which types of tasks and which workers the others wait for was added up anew each time it was asked.

CREATE TABLE _blame_sums ( -- One row is one worker, and one type of its tasks, that others of a run waited for, in one reading.
    run_id VARCHAR NOT NULL, -- Run (runs.run_id).
    mode VARCHAR NOT NULL, -- As in idle_attribution.
    latency_rule VARCHAR NOT NULL, -- As in idle_attribution.
    blamed_worker VARCHAR, -- Worker waited for; NULL where unknown.
    blamed_type VARCHAR, -- Type of the tasks waited for (tasks.name); NULL where unknown.
    intervals BIGINT NOT NULL, -- Idle intervals that waited for one.
    starvation1 BIGINT NOT NULL, -- Wait for the last input to be made, ns.
    starvation BIGINT, -- Of it: starvation, ns.
    latency BIGINT, -- Of it: latency passed on, ns.
    overhead BIGINT -- Of it: runtime work of their workers, and overhead passed on, ns.
);
