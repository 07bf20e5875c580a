-- The view pmu_standardised over what is held of its runs.
FROM _pmu_standardised_of($of);
