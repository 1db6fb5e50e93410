-- Whether a commit of this role has waited for a synchronous standby for more than a second: the standby is away. One
-- row.
select count(*) > 0 from pg_stat_activity
where usename = current_user and wait_event = 'SyncRep' and state_change < statement_timestamp() - interval '1 second'
