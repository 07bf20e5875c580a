-- requires: flags, workers
--
-- How far the clocks of nodes are apart, judged by the data that went both ways between them.
--
-- The fastest transfer each way is taken to last equally long; then half the difference of their
-- apparent times is the difference of the clocks (as in NTP).

CREATE OR REPLACE VIEW clock_skew AS -- One row is a pair of nodes that sent data both ways: how far their clocks seem to be apart.
WITH
  way AS (
    SELECT
      run_id, from_node, to_node, count(*) AS transfers, min(t_recv - t_send) AS fastest
    FROM transfers
    WHERE t_send IS NOT NULL AND from_node <> to_node
    GROUP BY run_id, from_node, to_node
  )

SELECT
  there.run_id,
  there.from_node AS node, -- Node.
  there.to_node AS other, -- The other node.
  there.transfers + back.transfers AS transfers, -- Transfers between them, both ways.
  (there.fastest - back.fastest) / 2 AS other_ahead_ns, -- By how much the other node's clock seems to be ahead of the node's, before any correction, ns: half of fastest there minus fastest back.
  (there.fastest + back.fastest) / 2 AS fastest_ns, -- Mean apparent time of the fastest transfers each way, ns: the error of other_ahead_ns is no larger. Negative: the clocks drift or times are wrong.
  o.ahead - coalesce(n.ahead, 0) AS recorded_ahead_ns -- The same by nodes.clock_offset_ns, with which the idle attribution corrects, ns; NULL where nothing is recorded.
FROM way AS there
JOIN way AS back
  ON there.run_id = back.run_id AND there.from_node = back.to_node
  AND there.to_node = back.from_node AND there.from_node < there.to_node
LEFT JOIN _node_clocks AS n ON there.run_id = n.run_id AND there.from_node = n.node
LEFT JOIN _node_clocks AS o ON there.run_id = o.run_id AND there.to_node = o.node;

-- Pairs of nodes whose clocks are proven to be apart after correction, by how much (ns): data seem
-- to arrive before they are sent.
CREATE OR REPLACE VIEW _clocks_apart AS
SELECT run_id, node, other, abs(other_ahead_ns - coalesce(recorded_ahead_ns, 0)) AS ns
FROM clock_skew
WHERE ns > fastest_ns;

-- Why the clocks of nodes are not to be trusted, one flag a run: they are proven to be apart; more than
-- two waits in a hundred contradict themselves, as skewed clocks make them; or nothing ran between the
-- tasks of two nodes for longer than those of any node took, though no clock of the two was set right.
CREATE OR REPLACE VIEW _clock_doubts AS
WITH
  apart AS (
    SELECT run_id, arg_max({'node': node, 'other': other, 'ns': ns}, (ns, node, other)) AS most
    FROM _clocks_apart
    GROUP BY run_id
  ),

  contradicting AS (
    SELECT
      run_id, count(*) AS waits,
      count(*) FILTER (list_has_any(flags, ['causality', 'late_arrival', 'neg_transfer'])) AS flagged
    FROM idle_intervals
    WHERE kind <> 'tail'
    GROUP BY run_id
  ),

  spans AS (
    SELECT run_id, node, min(t_start) AS t_begin, max(t_end) AS t_end
    FROM _task_times
    WHERE node IS NOT NULL
    GROUP BY run_id, node
  ),

  gaps AS (
    SELECT
      run_id, lag(node) OVER time AS node, node AS other,
      max(t_end - t_begin) OVER (PARTITION BY run_id) AS longest,
      t_begin - max(t_end) OVER (time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS ns
    FROM spans
    WINDOW time AS (PARTITION BY run_id ORDER BY t_begin, node)
  ),

  found AS (
    SELECT
      run_id, 1 AS place,
      _flag(
        'clocks_disagree',
        args := MAP {'node': most.node, 'other': most.other, 'time': _duration_text(most.ns)}
      ) AS doubt
    FROM apart
    UNION ALL
    SELECT
      run_id, 2,
      _flag('clocks_contradict', args := MAP {'flagged': flagged, 'waits': waits})
    FROM contradicting
    WHERE flagged > waits / 50
      AND run_id IN (SELECT run_id FROM workers GROUP BY run_id HAVING count(DISTINCT node) > 1)
    UNION ALL
    SELECT
      run_id, 3,
      _flag(
        'nodes_apart', args := MAP {'node': node, 'other': other, 'time': _duration_text(max(ns))}
      )
    FROM gaps
    WHERE ns > longest AND NOT EXISTS (
      FROM nodes AS n
      WHERE n.run_id = gaps.run_id AND n.node IN (gaps.node, gaps.other) AND clock_offset_ns <> 0
    )
    GROUP BY run_id, node, other
  )

SELECT run_id, arg_min(doubt, (place, CAST(doubt AS VARCHAR))) AS doubt FROM found GROUP BY run_id;
