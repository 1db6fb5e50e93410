-- Whether a commit of our role has waited for a synchronous standby for longer than one takes that is there. One row: waits.
select count(*) > 0 from pg_stat_activity
where usename = current_user and wait_event = 'SyncRep' and state_change < statement_timestamp() - interval '1 second'
