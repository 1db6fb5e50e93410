-- The kinds that are paused now. Rows: kind.
select kind from nudged.paused where resumed_at is null
