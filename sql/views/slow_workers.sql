-- Workers on which tasks take longer than tasks of the same type do on the other workers.
--
-- Durations are divided by the usual one of their type (the median over workers of their medians),
-- so that tasks of all types that several workers ran can be compared together. Up to 500 tasks of
-- a worker, evenly spread over its time, are compared with about 1000 of the others. Lists are sorted
-- by themselves: list(ratio ORDER BY t_start) takes the memory of 2048 tasks for each worker.

CREATE OR REPLACE MACRO _ratios_in_order(tasks) AS
  list_transform(list_sort(tasks), lambda task: task.ratio);
