-- What is not needed once the idle intervals and their flights are known.
DROP VIEW _idle_hop;
DROP TABLE _idle_task;
DROP TABLE _idle_datum;
DROP TABLE _idle_gap;
DROP TABLE _idle_need;
DROP TABLE _idle_detour;
DROP TABLE _idle_last;
