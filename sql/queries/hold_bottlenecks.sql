-- The view bottlenecks over what is held of its runs.
FROM _bottlenecks_of($of);
