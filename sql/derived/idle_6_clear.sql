-- What the attribution worked with.
DROP TABLE _idle_worker;
DROP TABLE _idle_window;
DROP TABLE _idle_node;
DROP TABLE _idle_uniform;
DROP TABLE _idle_run;
