-- Marks name the time in which nothing else of the host was recorded.

COMMENT ON COLUMN gpu_late.name IS 'Its name, of what is unrecorded that of the annotation around most of it; NULL where neither was recorded.';
COMMENT ON COLUMN gpu_gaps.late IS 'What the thread did for most of the time before the call, by name, of what is unrecorded that of the annotation around it; NULL where neither was recorded.';
