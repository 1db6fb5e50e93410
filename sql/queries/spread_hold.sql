-- Holds a spread for its next page. Nothing comes where another daemon has it or was quicker, or where it is being set anew, cancelled or snoozed: those
-- hold the definition first, or the row. Nobody is waited for. $1 author, $2 occurrence, $3 the last member who has theirs (null: nobody). One author's rows: one shard.
select o.id
from nudged.occurrence o
join nudged.reminder r on r.user_id = o.user_id and r.id = o.reminder_id
where o.user_id = $1 and o.id = $2 and o.spread_after is not distinct from $3
for update of o skip locked
for share of r skip locked
