-- What people ask of GPU traces: communication hidden behind computation, and work by module.

ALTER TABLE _gpu_sums ADD COLUMN calculating BIGINT;
COMMENT ON COLUMN _gpu_sums.calculating IS 'Time in which kernels ran that do not communicate, ns.';

ALTER TABLE tasks ADD COLUMN module VARCHAR;
COMMENT ON COLUMN tasks.module IS 'Innermost module of the program (nn.Module of PyTorch) within which it was launched; NULL where modules are not recorded.';
