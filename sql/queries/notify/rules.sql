-- The rules of pwh notify.
FROM notification_rules
ORDER BY rule_id;
