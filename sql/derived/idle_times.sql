-- The cuts of the idle intervals, by worker and time.
SELECT i, w, a, s1, b, la, u, v FROM _idle_wait ORDER BY w, a;
