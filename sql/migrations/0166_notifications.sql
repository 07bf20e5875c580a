-- Who is told of what, and what was told.

CREATE TABLE notification_rules (
    rule_id BIGINT NOT NULL,
    what VARCHAR NOT NULL,
    app VARCHAR NOT NULL,
    metric VARCHAR NOT NULL,
    least DOUBLE,
    days DOUBLE,
    recipient VARCHAR NOT NULL
);
COMMENT ON TABLE notification_rules IS 'One row is a rule of pwh notify: what is sent to whom.';
COMMENT ON COLUMN notification_rules.rule_id IS 'Number of the rule.';
COMMENT ON COLUMN notification_rules.what IS 'changes: events (change_events) that are open and not for the better; silence: an application of which nothing arrived for some days; gone: a metric that the newest version of an application lacks.';
COMMENT ON COLUMN notification_rules.app IS 'Application, or a pattern with * and ?.';
COMMENT ON COLUMN notification_rules.metric IS 'Metric, likewise; of silence it counts for nothing.';
COMMENT ON COLUMN notification_rules.least IS 'Smallest relative change: 0.05 is 5 %; NULL: any.';
COMMENT ON COLUMN notification_rules.days IS 'Of silence: its days.';
COMMENT ON COLUMN notification_rules.recipient IS 'Where the address is, never itself: env:NAME (a variable of the environment) or file:PATH.';

CREATE TABLE notifications (
    recipient VARCHAR NOT NULL,
    subject VARCHAR NOT NULL,
    sent_at TIMESTAMPTZ
);
COMMENT ON TABLE notifications IS 'One row is something that a recipient was told (pwh notify), and is not told again.';
COMMENT ON COLUMN notifications.recipient IS 'Recipient (notification_rules.recipient).';
COMMENT ON COLUMN notifications.subject IS 'What it was about: an event, and when it was reopened; an application and its last run; a metric, its machine and the version that lacks it.';
COMMENT ON COLUMN notifications.sent_at IS 'When it was sent; NULL of changes that were there before the rule.';
