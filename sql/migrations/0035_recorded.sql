-- Runs of pwh record: those with other arguments, variables or profilers are other series.
INSERT INTO series_fields VALUES ('arguments', true), ('variables', true), ('profiler', true)
ON CONFLICT DO NOTHING;
