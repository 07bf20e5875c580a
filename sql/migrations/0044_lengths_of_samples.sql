-- Regions and kernels have lengths that tools state without saying when they ran: rates and shares
-- are averaged by them.

ALTER TABLE pmu_samples ADD COLUMN seconds DOUBLE;
COMMENT ON COLUMN pmu_samples.seconds IS 'Length of the sample, s, where it is known without start and end on the run''s clock.';
