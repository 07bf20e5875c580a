-- The ledger of a difference is stored with what changed together with it.
COMMENT ON COLUMN change_explanations.topic IS 'metric (the main metric itself), cause (what leads: the function with most of it, and the mechanism), function, counter, benchmark (a result of one, or another value of the table metrics), bottleneck, scaling, idle, threads, device, setting (a field or tag that differs between the two sides), or ledger (a part of the difference: difference_ledger).';
COMMENT ON COLUMN change_explanations.before_label IS 'In words: class of bottleneck, formula, dominant part of the idle time, verdict on threads, setting; of a cause the metric that leads.';
COMMENT ON COLUMN change_explanations.share IS 'Share of the loss: of functions in that of the main metric, where they are parts of it, else in that of all functions; of regions in the cycles that all counted regions take more. Negative where it took less. NULL where there is no such sum.';

-- Functions that were moved or renamed are one.
ALTER TABLE version_comparisons ADD COLUMN renamed_from VARCHAR;
COMMENT ON COLUMN version_comparisons.renamed_from IS 'Of functions that were moved or renamed the name before; NULL of others.';
