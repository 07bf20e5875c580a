-- What the attribution worked with.
DROP TABLE _idle_run;
DROP TABLE _idle_node;
DROP TABLE _idle_worker;
DROP TABLE _idle_task;
DROP TABLE _idle_window;
DROP TABLE _idle_datum;
DROP TABLE _idle_gap;
DROP TABLE _idle_need;
DROP TABLE _idle_detour;
DROP TABLE _idle_last;
DROP TABLE _idle_wait;
DROP TABLE _idle_part;
DROP TABLE _idle_met;
DROP TABLE _idle_island;
DROP TABLE _idle_uniform;
