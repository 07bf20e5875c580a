-- Up to which count doubling buys a speed-up of $gain for the program of a set of runs, and the count
-- where time x cost^$cost_weight is least.
SELECT doubling, cheapest, last
FROM program_worth($gain, $cost_weight)
WHERE set_id = $set_id;
