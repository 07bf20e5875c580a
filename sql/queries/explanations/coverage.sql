-- Of how many runs on both sides each kind of trace could be examined.
FROM explain_coverage($runs, $against);
