-- Metrics by formulas, as vendors publish them, and what the categories of issue slots mean.

CREATE TABLE metric_formulas (
    metric_set VARCHAR NOT NULL,
    position INTEGER NOT NULL,
    metric VARCHAR NOT NULL,
    formula VARCHAR NOT NULL,
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE metric_formulas IS 'One row is a metric that is computed by a formula of events and of earlier metrics of its set, as processor vendors publish them.';
COMMENT ON COLUMN metric_formulas.metric_set IS 'Set (metric_sets.metric_set); its denominator is in metric_definitions.';
COMMENT ON COLUMN metric_formulas.position IS 'Place of the metric in the set, 0, 1, 2 ... up to 15.';
COMMENT ON COLUMN metric_formulas.metric IS 'Metric.';
COMMENT ON COLUMN metric_formulas.formula IS 'Numbers, events (in lower case and without processor or modifier) and metrics before it, with + - * / between blanks, brackets, and min, max and nearest(x, a, b ...), which is that of a, b ... that is nearest to x.';
COMMENT ON COLUMN metric_formulas.shipped IS 'Whether it came with pwh.';

CREATE TABLE slot_categories (
    name VARCHAR NOT NULL,
    category VARCHAR,
    threshold DOUBLE,
    advice VARCHAR NOT NULL,
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE slot_categories IS 'One row is a category of issue slots of top-down analysis, or a part of one.';
COMMENT ON COLUMN slot_categories.name IS 'Category or part: a metric.';
COMMENT ON COLUMN slot_categories.category IS 'Category of which it is a part; NULL for those of level 1.';
COMMENT ON COLUMN slot_categories.threshold IS 'Share of all slots above which it limits the program, 0..1, as Intel publishes it; NULL where it is no loss.';
COMMENT ON COLUMN slot_categories.advice IS 'What usually helps.';
COMMENT ON COLUMN slot_categories.shipped IS 'Whether it came with pwh.';
