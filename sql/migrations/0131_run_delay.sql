-- How long a program was ready to run and waited for a processor says of the machine, not of it.
INSERT INTO change_thresholds (metric, better, shipped) VALUES ('metric:run_delay', 'neither', true);
