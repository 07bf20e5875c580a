-- The view scaling_sets over what is held of its runs.
FROM _scaling_sets_of($of);
