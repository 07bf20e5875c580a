-- The pwh that made all that is in a lake (warehouse/lake/stamp.py), which writes itself here once it has.

CREATE OR REPLACE VIEW _stamp AS SELECT CAST(NULL AS VARCHAR) AS digest, false AS is_whole;
