-- When a log of instructions shows what warps executed together.

COMMENT ON COLUMN bb_launches.warp_instructions IS 'Executed warp instructions, where the trace records them; of a log of the instructions of threads, the runs of lines in which lanes of one warp execute one instruction. As many as instructions, though thread blocks have several threads: the log has one thread after another, which does not show what warps executed together, and thread_behaviour takes the bound by visits instead.';
