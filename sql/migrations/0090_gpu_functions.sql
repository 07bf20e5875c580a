-- Which function times are of devices, and what each operator had a device do.

ALTER TABLE fn_timings ADD COLUMN device VARCHAR;
COMMENT ON COLUMN fn_timings.device IS 'Device that executed it (a kernel, copy or fill), where a trace shows when; NULL for functions of the host.';
COMMENT ON COLUMN fn_timings.seconds IS 'Exclusive time (the function''s own, without callees), s. In traces with work of a device: NULL for marks and ranges, and of calls that wait or copy, the time in which no device worked.';

ALTER TABLE _gpu_sums ADD COLUMN operators STRUCT(ns BIGINT, operation VARCHAR, operator VARCHAR, calls BIGINT)[];
COMMENT ON COLUMN _gpu_sums.operators IS 'As operations, by operator of the framework (NULL: none is known), with the number of works.';
