-- The view scaling_series over what is held of its runs.
FROM _scaling_series_of($of);
