-- The kinds that are held now. Rows: kind.
select kind from nudged.paused where resumed_at is null
