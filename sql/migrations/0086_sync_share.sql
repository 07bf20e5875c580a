-- Barriers as a share of the executed instructions: a barrier in a long block is none that matters.

ALTER TABLE thread_behaviour ADD COLUMN sync_share DOUBLE;
COMMENT ON COLUMN thread_behaviour.sync_share IS 'Barriers over executed thread instructions that are traced, 0..1.';
COMMENT ON COLUMN thread_behaviour.synchronising IS 'Synchronisation is prominent: sync_rate is over its threshold, and at least one instruction in a hundred is a barrier, where the instructions are known.';
