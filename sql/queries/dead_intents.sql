-- The open intents of dead daemons, in no order: asked where recover.sql met a row that somebody holds, to take the others one by one. $1 leases of ours that
-- live, $2 most rows. Rows: lease id, number.
select lease_id, number from nudged.intent
where expires_at < statement_timestamp() and lease_id <> all ($1)
order by random()
limit $2
