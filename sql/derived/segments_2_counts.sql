-- Counts of segments from their decoded machine code, where the file has none.
UPDATE segments AS s
SET
    instructions = coalesce(s.instructions, c.code.instructions),
    n_int = coalesce(s.n_int, c.code.n_int),
    n_fp = coalesce(s.n_fp, c.code.n_fp),
    n_simd = coalesce(s.n_simd, c.code.n_simd),
    n_load = coalesce(s.n_load, c.code.n_load),
    n_store = coalesce(s.n_store, c.code.n_store),
    n_branch = coalesce(s.n_branch, c.code.n_branch),
    n_other = coalesce(s.n_other, c.code.n_other),
    serialising = coalesce(s.serialising, c.code.serialising),
    critical_path = coalesce(s.critical_path, c.code.critical_path)
FROM _segment_code AS c
WHERE s.rowid = c.place AND c.code IS NOT NULL;
