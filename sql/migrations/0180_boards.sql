-- A saved query keeps its chart, and can be on a board.

ALTER TABLE saved_queries ADD COLUMN board VARCHAR;
ALTER TABLE saved_queries ADD COLUMN chart VARCHAR;
ALTER TABLE saved_queries ADD COLUMN across VARCHAR;
ALTER TABLE saved_queries ADD COLUMN up VARCHAR;
ALTER TABLE saved_queries ADD COLUMN colour VARCHAR;
COMMENT ON TABLE saved_queries IS 'One row is a query with a name: pwh sql --save, or the SQL page. pwh sql --saved NAME runs it; those of a board are shown together on the page Boards.';
COMMENT ON COLUMN saved_queries.board IS 'The board that it is on. NULL: none.';
COMMENT ON COLUMN saved_queries.chart IS 'How its answer is drawn: Line, Bars or Points. NULL: as a table.';
COMMENT ON COLUMN saved_queries.across IS 'The column of the answer along the horizontal axis of its chart.';
COMMENT ON COLUMN saved_queries.up IS 'The column along the vertical axis.';
COMMENT ON COLUMN saved_queries.colour IS 'The column that colours are of. NULL: one colour.';
