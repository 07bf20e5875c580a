-- Cores whose models were fitted to loops, too.

ALTER TABLE cores ADD COLUMN loops BOOLEAN;
COMMENT ON COLUMN cores.loops IS 'Whether the measured blocks that its model was fitted to have loops (x86-64): blocks that end in a taken branch are then described with it; else, and where NULL, as straight code, the branch left to the bounds.';
