-- Fitted models of all kinds as versioned rows, and what of the warehouse's rows ship with pwh.

CREATE TABLE models (
    kind VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    subject VARCHAR,
    algorithm VARCHAR NOT NULL,
    inputs VARCHAR[] NOT NULL,
    description VARCHAR NOT NULL,
    seed BIGINT,
    fitted_at TIMESTAMPTZ NOT NULL,
    shipped BOOLEAN NOT NULL,
    pwh_version VARCHAR NOT NULL
);
COMMENT ON TABLE models IS 'One row is one fitted model. It is never changed: fitting again makes another version.';
COMMENT ON COLUMN models.kind IS 'What it is for: bottlenecks, ...';
COMMENT ON COLUMN models.version IS 'Number of the model within its kind, from 1.';
COMMENT ON COLUMN models.subject IS 'What it is a model of: for bottlenecks the metric set.';
COMMENT ON COLUMN models.algorithm IS 'Algorithm that is applied.';
COMMENT ON COLUMN models.inputs IS 'Names of its inputs, in their order: for bottlenecks the metrics.';
COMMENT ON COLUMN models.description IS 'What it was trained on.';
COMMENT ON COLUMN models.seed IS 'Seed of its random numbers.';
COMMENT ON COLUMN models.fitted_at IS 'When it was fitted.';
COMMENT ON COLUMN models.shipped IS 'Whether it came with pwh; else it was fitted here.';
COMMENT ON COLUMN models.pwh_version IS 'Version of pwh that fitted it, or that it came with.';

CREATE TABLE model_arrays (
    kind VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    shape INTEGER[] NOT NULL,
    "values" DOUBLE[] NOT NULL
);
COMMENT ON TABLE model_arrays IS 'One row is one array of a model: weights, medoids, means ...';
COMMENT ON COLUMN model_arrays.kind IS 'Kind of the model (models.kind).';
COMMENT ON COLUMN model_arrays.version IS 'Number of the model (models.version).';
COMMENT ON COLUMN model_arrays.name IS 'Name of the array within the model.';
COMMENT ON COLUMN model_arrays.shape IS 'Its dimensions; empty for a single number.';
COMMENT ON COLUMN model_arrays."values" IS 'Its elements, the last dimension running fastest.';

CREATE TABLE model_scores (
    kind VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    algorithm VARCHAR NOT NULL,
    split VARCHAR NOT NULL,
    measure VARCHAR NOT NULL,
    value DOUBLE
);
COMMENT ON TABLE model_scores IS 'One row is one score of the model, or of an algorithm that was tried beside it, on the same split.';
COMMENT ON COLUMN model_scores.kind IS 'Kind of the model (models.kind).';
COMMENT ON COLUMN model_scores.version IS 'Number of the model (models.version).';
COMMENT ON COLUMN model_scores.algorithm IS 'Algorithm that was scored; models.algorithm is the one chosen.';
COMMENT ON COLUMN model_scores.split IS 'What was held out, and what it was scored on.';
COMMENT ON COLUMN model_scores.measure IS 'Measure: accuracy, ...';
COMMENT ON COLUMN model_scores.value IS 'The score.';

CREATE TABLE model_history (
    kind VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    stage VARCHAR NOT NULL,
    iteration INTEGER NOT NULL,
    measure VARCHAR NOT NULL,
    value DOUBLE
);
COMMENT ON TABLE model_history IS 'One row is one measure at one iteration of a training: the training curve.';
COMMENT ON COLUMN model_history.kind IS 'Kind of the model (models.kind).';
COMMENT ON COLUMN model_history.version IS 'Number of the model (models.version).';
COMMENT ON COLUMN model_history.stage IS 'Stage of the training: pretraining of a layer, fine-tuning ...';
COMMENT ON COLUMN model_history.iteration IS 'Iteration (epoch) within the stage, from 0.';
COMMENT ON COLUMN model_history.measure IS 'Measure: loss, accuracy on the validation samples ...';
COMMENT ON COLUMN model_history.value IS 'Its value.';

CREATE TABLE model_search (
    kind VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    layers INTEGER NOT NULL,
    nodes INTEGER NOT NULL,
    measure VARCHAR NOT NULL,
    value DOUBLE
);
COMMENT ON TABLE model_search IS 'One row is one size of network that was tried before the model was fitted.';
COMMENT ON COLUMN model_search.kind IS 'Kind of the model (models.kind).';
COMMENT ON COLUMN model_search.version IS 'Number of the model (models.version).';
COMMENT ON COLUMN model_search.layers IS 'Hidden layers.';
COMMENT ON COLUMN model_search.nodes IS 'Nodes of each hidden layer.';
COMMENT ON COLUMN model_search.measure IS 'Measure: accuracy on the validation samples ...';
COMMENT ON COLUMN model_search.value IS 'Its value.';

CREATE TABLE model_choice (
    kind VARCHAR NOT NULL,
    subject VARCHAR,
    version INTEGER NOT NULL,
    said_by VARCHAR,
    said_at TIMESTAMPTZ NOT NULL
);
COMMENT ON TABLE model_choice IS 'One row is a person''s word that a model is to be used; the latest counts. Without one, the newest that was fitted here is used, else the newest that came with pwh.';
COMMENT ON COLUMN model_choice.kind IS 'Kind of the model (models.kind).';
COMMENT ON COLUMN model_choice.subject IS 'What it is a model of (models.subject).';
COMMENT ON COLUMN model_choice.version IS 'Number of the model (models.version).';
COMMENT ON COLUMN model_choice.said_by IS 'Who said so.';
COMMENT ON COLUMN model_choice.said_at IS 'When.';

CREATE TABLE shipped_files (
    path VARCHAR NOT NULL,
    sha256 VARCHAR NOT NULL,
    pwh_version VARCHAR NOT NULL
);
COMMENT ON TABLE shipped_files IS 'One row is one file of rows or one model that came with pwh, as it stands in this warehouse.';
COMMENT ON COLUMN shipped_files.path IS 'File in the folder sql of pwh.';
COMMENT ON COLUMN shipped_files.sha256 IS 'SHA-256 of its content.';
COMMENT ON COLUMN shipped_files.pwh_version IS 'Version of pwh that brought it.';
