-- For how many days the record is kept. One row: days; 36500 if nudged.setting has no row, since then nothing is
-- dropped.
select coalesce(min(retention_days), 36500) from nudged.setting
