-- Locks a fan-out for its next page. No row comes if another daemon has it locked or was faster. No row comes either if
-- the reminder is being set, cancelled or snoozed: those calls lock the reminder or the row first. It waits for nobody.
-- $1 author, $2 occurrence, $3 the last member who has a row (null: none). All rows are one author's, so they are in
-- one shard.
select o.id
from nudged.occurrence o
join nudged.reminder r on r.user_id = o.user_id and r.id = o.reminder_id
where o.user_id = $1 and o.id = $2 and o.fan_out_after is not distinct from $3
for update of o skip locked
for share of r skip locked
