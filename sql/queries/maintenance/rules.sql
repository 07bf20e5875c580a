-- The rules of retention.
FROM retention_rules
ORDER BY rule_id;
