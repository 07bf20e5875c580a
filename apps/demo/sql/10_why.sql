-- All kinds of trace of stencil: what changed together with its time?
SELECT topic, subject, round(before, 4) AS was, round(after, 4) AS becomes, before_label, after_label,
  round(100 * share) AS percent_of_loss
FROM explanations
WHERE app = 'stencil' AND certain AND topic NOT IN ('metric', 'counter') AND subject IS NOT NULL
ORDER BY topic <> 'function', share DESC, topic
