-- Fitted models, what they were chosen by, and the files of rows that come with pwh.

CREATE TABLE models ( -- One row is one fitted model. It is never changed: fitting again makes another version.
    kind VARCHAR NOT NULL, -- What it is for: bottlenecks, ...
    version INTEGER NOT NULL, -- Number of the model within its kind, from 1.
    subject VARCHAR, -- What it is a model of: for bottlenecks the metric set.
    algorithm VARCHAR NOT NULL, -- Algorithm that is applied.
    inputs VARCHAR[] NOT NULL, -- Names of its inputs, in their order: for bottlenecks the metrics.
    description VARCHAR NOT NULL, -- What it was trained on.
    seed BIGINT, -- Seed of its random numbers.
    fitted_at TIMESTAMPTZ NOT NULL, -- When it was fitted.
    shipped BOOLEAN NOT NULL, -- Whether it came with pwh; else it was fitted here.
    pwh_version VARCHAR NOT NULL -- Version of pwh that fitted it, or that it came with.
);

CREATE TABLE model_arrays ( -- One row is one array of a model: weights, medoids, means ...
    kind VARCHAR NOT NULL, -- Kind of the model (models.kind).
    version INTEGER NOT NULL, -- Number of the model (models.version).
    name VARCHAR NOT NULL, -- Name of the array within the model.
    shape INTEGER[] NOT NULL, -- Its dimensions; empty for a single number.
    "values" DOUBLE[] NOT NULL -- Its elements, the last dimension running fastest.
);

CREATE TABLE model_scores ( -- One row is one score of the model, or of an algorithm that was tried beside it, on the same split.
    kind VARCHAR NOT NULL, -- Kind of the model (models.kind).
    version INTEGER NOT NULL, -- Number of the model (models.version).
    algorithm VARCHAR NOT NULL, -- Algorithm that was scored; models.algorithm is the one chosen.
    split VARCHAR NOT NULL, -- What was held out, and what it was scored on.
    measure VARCHAR NOT NULL, -- Measure: accuracy, ...
    value DOUBLE -- The score.
);

CREATE TABLE model_history ( -- One row is one measure at one iteration of a training: the training curve.
    kind VARCHAR NOT NULL, -- Kind of the model (models.kind).
    version INTEGER NOT NULL, -- Number of the model (models.version).
    stage VARCHAR NOT NULL, -- Stage of the training: pretraining of a layer, fine-tuning ...
    iteration INTEGER NOT NULL, -- Iteration (epoch) within the stage, from 0.
    measure VARCHAR NOT NULL, -- Measure: loss, accuracy on the validation samples ...
    value DOUBLE -- Its value.
);

CREATE TABLE model_search ( -- One row is one size of network that was tried before the model was fitted.
    kind VARCHAR NOT NULL, -- Kind of the model (models.kind).
    version INTEGER NOT NULL, -- Number of the model (models.version).
    layers INTEGER NOT NULL, -- Hidden layers.
    nodes INTEGER NOT NULL, -- Nodes of each hidden layer.
    measure VARCHAR NOT NULL, -- Measure: accuracy on the validation samples ...
    value DOUBLE -- Its value.
);

CREATE TABLE model_choice ( -- One row is a manual choice of a model; the latest counts. Without one, the newest that was fitted here is used, else the newest that came with pwh.
    kind VARCHAR NOT NULL, -- Kind of the model (models.kind).
    subject VARCHAR, -- What it is a model of (models.subject).
    version INTEGER NOT NULL, -- Number of the model (models.version).
    said_by VARCHAR, -- Who chose it.
    said_at TIMESTAMPTZ NOT NULL -- When.
);

CREATE TABLE shipped_files ( -- One row is one file of rows or one model that came with pwh, in the version that this warehouse has.
    path VARCHAR NOT NULL, -- File in the folder sql of pwh.
    sha256 VARCHAR NOT NULL, -- SHA-256 of its content.
    pwh_version VARCHAR NOT NULL -- Version of pwh that brought it.
);
