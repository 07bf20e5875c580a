-- Scaling models of the applications $apps.
FROM scaling_models
WHERE list_contains($apps, app);
