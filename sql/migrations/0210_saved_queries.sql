-- Queries of the app, and the turns of clients of pwh serve.

CREATE TABLE saved_queries ( -- One row is a query with a name: pwh sql --save, or the SQL page. pwh sql --saved NAME runs it; those of a board are shown together on the page Boards.
    name VARCHAR NOT NULL PRIMARY KEY, -- Its name.
    query VARCHAR NOT NULL, -- Its SQL.
    saved_at TIMESTAMPTZ NOT NULL, -- When it was saved last.
    board VARCHAR, -- The board that it is on. NULL: none.
    chart VARCHAR, -- How its answer is drawn: Line, Bars or Points. NULL: as a table.
    across VARCHAR, -- The column of the answer along the horizontal axis of its chart.
    up VARCHAR, -- The column along the vertical axis.
    colour VARCHAR, -- The column that colours are of. NULL: one colour.
    place INTEGER, -- Its place on the board, from 0. NULL: after those that have one, by its name.
    is_half BOOLEAN -- Whether it is half as wide as the board, with another half beside it. NULL: it is not.
);

CREATE TABLE _turns ( -- One row: how many transactions clients of pwh serve have begun.
    turn BIGINT NOT NULL -- Their number.
);

INSERT INTO _turns VALUES (0);
