-- Programs whose behaviour is known: what verdicts on threads are measured by.

CREATE TABLE behaviour_references (
    program VARCHAR NOT NULL,
    behaviour VARCHAR NOT NULL CHECK (behaviour IN (
        'divergent', 'not divergent', 'synchronising', 'not synchronising',
        'data-bound', 'compute-bound'
    )),
    said_by VARCHAR NOT NULL,
    fluctuation DOUBLE,
    simt_efficiency DOUBLE,
    sync_rate DOUBLE,
    memory_share DOUBLE,
    PRIMARY KEY (program, behaviour, said_by)
);
COMMENT ON TABLE behaviour_references IS 'One row is one behaviour that a program is known to show, or not to show, with its rates. Verdicts follow from these rows at once: see behaviour_thresholds.';
COMMENT ON COLUMN behaviour_references.program IS 'Program, or one launch of it.';
COMMENT ON COLUMN behaviour_references.behaviour IS 'divergent, not divergent, synchronising, not synchronising, data-bound or compute-bound.';
COMMENT ON COLUMN behaviour_references.said_by IS 'Who says so, and from what.';
COMMENT ON COLUMN behaviour_references.fluctuation IS 'Fluctuation rate, 0..1 (thread_behaviour.fluctuation).';
COMMENT ON COLUMN behaviour_references.simt_efficiency IS 'SIMT efficiency, 0..1.';
COMMENT ON COLUMN behaviour_references.sync_rate IS 'Executed barriers over visits of basic blocks.';
COMMENT ON COLUMN behaviour_references.memory_share IS 'Share of instructions that access memory off the core, 0..1.';

-- Small CUDA programs of known code, recorded in GPGPU-Sim 4.2.0.
INSERT INTO behaviour_references VALUES
    ('vecadd', 'not divergent', 'its code: only the threads past its end leave early', 0.001969, 0.988281, 0, 0.134747),
    ('vecadd', 'not synchronising', 'its code: it has no barrier', 0.001969, 0.988281, 0, 0.134747),
    ('vecadd', 'data-bound', 'its code: one addition for three accesses to memory', 0.001969, 0.988281, 0, 0.134747),
    ('reduce', 'not divergent', 'its code: in a tree sum whole warps drop out, and only the last one splits', 0.055118, 0.90956, 0.4, 0.013807),
    ('reduce', 'synchronising', 'its code: a barrier at each step', 0.055118, 0.90956, 0.4, 0.013807),
    ('diverge4', 'divergent', 'its code: thread number modulo 4 picks one of four loops', 1.0, 0.286413, 0, 0.01518),
    ('diverge4', 'not synchronising', 'its code: it has no barrier', 1.0, 0.286413, 0, 0.01518),
    ('diverge4', 'compute-bound', 'its code: its loops stay in registers', 1.0, 0.286413, 0, 0.01518),
    ('bitonic', 'divergent', 'its code: threads compare and swap by their number and data', 0.78288, 0.751191, 0.287429, 0.004776),
    ('bitonic', 'synchronising', 'its code: a barrier at each step', 0.78288, 0.751191, 0.287429, 0.004776),
    ('matmul', 'not divergent', 'its code: all threads do the same', 0.0, 1.0, 0.181818, 0.023891),
    ('matmul', 'synchronising', 'its code: two barriers for each tile', 0.0, 1.0, 0.181818, 0.023891),
    ('mandel', 'divergent', 'its code: each point needs its own number of rounds', 0.218269, 0.530182, 0, 0.004281),
    ('mandel', 'not synchronising', 'its code: it has no barrier', 0.218269, 0.530182, 0, 0.004281),
    ('mandel', 'compute-bound', 'its code: one access to memory at its end', 0.218269, 0.530182, 0, 0.004281),
    ('bfs, launch 5', 'divergent', 'its code: a node of the front has its own number of edges, others have none', 0.378224, 0.210416, 0, 0.126927),
    ('bfs, launch 5', 'not synchronising', 'its code: it has no barrier', 0.378224, 0.210416, 0, 0.126927),
    ('bfs, launch 5', 'data-bound', 'its code: it follows edges from memory', 0.378224, 0.210416, 0, 0.126927),
    ('bfs, launch 0', 'not divergent', 'its code: one thread has work, all others leave', 0.003968, 0.920701, 0, 0.049735),
    ('bfs, launch 0', 'not synchronising', 'its code: it has no barrier', 0.003968, 0.920701, 0, 0.049735);
