-- Drop the temporary tables of the attribution.
DROP VIEW _idle_hop;
DROP TABLE _idle_window;
DROP TABLE _idle_worker;
DROP TABLE _idle_node;
