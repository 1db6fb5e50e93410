-- The newest migration that a daemon must know at least to work on this schema; 0: none says so.
select coalesce(max(oldest), 0) from nudged.migration
