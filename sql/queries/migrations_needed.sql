-- The number of the newest migration that a daemon must know to work with this schema; 0: any daemon can.
select coalesce(max(oldest), 0) from nudged.migration
