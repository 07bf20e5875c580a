-- Which forms of instruction an estimated core was measured with: the costs of others are its
-- relative's.

ALTER TABLE cores ADD COLUMN measured VARCHAR[];

COMMENT ON COLUMN cores.measured IS 'Forms of instruction (instruction_costs.pattern) that its measured blocks had, and families of forms: others cost what they do on its relative, and are poorly supported. NULL of a core that was not estimated, and of AArch64.';
