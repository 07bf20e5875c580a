-- Whether two groups of runs differ beyond noise.
--
-- A difference is certain where the means of both sides differ beyond their scatter. Student's and
-- Welch's t are turned into normal deviates, z^2 = c^2 v ln(1 + t^2 / v), c = (8v + 1) / (8v + 3)
-- (Wallace 1959), and exp(-z^2 / 2) bounds the probability of so large a deviate (Chernoff). The
-- larger bound counts: Welch's alone errs where one side has few runs, Student's where one scatters
-- more. Runs that follow each other are often alike: from 16 runs on t^2 and v are divided by
-- (1 + r) / (1 - r), r being the autocorrelation at lag 1 within the sides, corrected for its bias
-- (Kendall 1954). Values are in the order of the runs.

CREATE OR REPLACE MACRO _t_bound(t_squared, v) AS
  pow(1 + t_squared / v, -v / 2 * pow((8 * v + 1) / (8 * v + 3), 2));

CREATE OR REPLACE MACRO _from_mean(x) AS list_transform(x, lambda y: y - list_avg(x));

CREATE OR REPLACE MACRO _lag_product(x) AS
  list_dot_product(CAST(x[:-2] AS DOUBLE[]), CAST(x[2:] AS DOUBLE[]));

CREATE OR REPLACE MACRO _autocorrelation(a, b) AS
  (_lag_product(_from_mean(a)) + _lag_product(_from_mean(b)))
    / (list_var_samp(a) * (len(a) - 1) + list_var_samp(b) * (len(b) - 1));

CREATE OR REPLACE MACRO _unbiased(r, n) AS greatest(0, least(0.9, r + 2 * (1 + 3 * r) / n));

CREATE OR REPLACE MACRO _inflation(r) AS (1 + r) / (1 - r);

CREATE OR REPLACE MACRO _likeness(a, b) AS CASE
  WHEN len(a) + len(b) < 16 THEN 1
  ELSE _inflation(_unbiased(_autocorrelation(a, b), len(a) + len(b)))
END;

CREATE OR REPLACE MACRO _student_squared(a, b) AS
  pow(list_avg(a) - list_avg(b), 2) * (len(a) + len(b) - 2)
    / ((len(a) - 1) * list_var_samp(a) + (len(b) - 1) * list_var_samp(b))
    / (1 / len(a) + 1 / len(b));

CREATE OR REPLACE MACRO _welch_squared(a, b) AS
  pow(list_avg(a) - list_avg(b), 2) / (list_var_samp(a) / len(a) + list_var_samp(b) / len(b));

-- Satterthwaite's degrees of freedom.
CREATE OR REPLACE MACRO _welch_freedom(a, b) AS
  pow(list_var_samp(a) / len(a) + list_var_samp(b) / len(b), 2) / (
    pow(list_var_samp(a) / len(a), 2) / (len(a) - 1)
    + pow(list_var_samp(b) / len(b), 2) / (len(b) - 1)
  );

CREATE OR REPLACE MACRO _larger_bound(a, b, likeness) AS greatest(
  _t_bound(_student_squared(a, b) / likeness, (len(a) + len(b) - 2) / likeness),
  _t_bound(_welch_squared(a, b) / likeness, _welch_freedom(a, b) / likeness)
);

-- NULL for fewer than two values on a side.
CREATE OR REPLACE MACRO _p_bound(a, b) AS CASE
  WHEN len(a) < 2 OR len(b) < 2 THEN NULL
  WHEN list_avg(a) = list_avg(b) THEN 1
  WHEN list_var_samp(a) + list_var_samp(b) = 0 THEN 0
  ELSE _larger_bound(a, b, _likeness(a, b))
END;
