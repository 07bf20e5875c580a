-- Which fitted model is in force for what.

CREATE OR REPLACE VIEW models_in_force AS -- One row is the model that is used for a kind of question and a subject: the one chosen by hand (model_choice), else the newest that was fitted here, else the newest that came with pwh. A model of throughput whose error on held-out groups is not below that of the tightest bound, or one of bottlenecks that is right less often on held-out programs than thresholds of one metric, or no more often than the commonest class, has to be chosen by hand.
WITH
  chosen AS (
    SELECT kind, subject, arg_max(version, said_at) AS version
    FROM model_choice
    GROUP BY kind, subject
  ),

  -- no better than the tightest bound, or worse than a simple rule, where it was held out
  losing AS (
    SELECT m.kind, m.version
    FROM models AS m
    JOIN model_scores AS own
      ON m.kind = own.kind AND m.version = own.version AND m.algorithm = own.algorithm
    JOIN model_scores AS bound
      ON own.kind = bound.kind AND own.version = bound.version AND own.split = bound.split
      AND own.measure = bound.measure
    WHERE (
      m.kind = 'throughput' AND bound.algorithm = 'tightest bound'
      AND own.split = 'groups held out' AND own.measure = 'mean error' AND own.value >= bound.value
    ) OR (
      m.kind = 'bottlenecks' AND own.split = 'programs held out: labelled samples'
      AND own.measure = 'accuracy' AND (
        (bound.algorithm = 'commonest class' AND own.value <= bound.value)
        OR (bound.algorithm = 'one metric' AND own.value < bound.value)
      )
    )
  ),

  own_or_newest AS (
    SELECT
      kind, subject,
      coalesce(max(version) FILTER (NOT shipped), max(version)) AS version
    FROM models ANTI JOIN losing USING (kind, version)
    GROUP BY kind, subject
  ),

  used AS (
    SELECT
      coalesce(o.kind, c.kind) AS kind, coalesce(c.version, o.version) AS version,
      c.version IS NOT NULL AS is_chosen
    FROM own_or_newest AS o
    FULL JOIN chosen AS c ON o.kind = c.kind AND o.subject IS NOT DISTINCT FROM c.subject
  )

SELECT
  m.kind, -- What it is for: bottlenecks, ...
  m.subject, -- What it is a model of: for bottlenecks the metric set.
  m.version, -- Number of the model within its kind.
  m.algorithm, -- Algorithm that is applied.
  m.inputs, -- Names of its inputs, in their order.
  m.description, -- What it was trained on.
  m.fitted_at, -- When it was fitted.
  m.shipped, -- Whether it came with pwh.
  u.is_chosen -- Whether it was chosen by hand (model_choice).
FROM used AS u
JOIN models AS m USING (kind, version);
