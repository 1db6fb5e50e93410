-- Ends a fan-out whose reminder does not exist any more, and records that. (A snooze at the moment of the cancellation
-- leaves such a row.) $1 author, $2 occurrence, $3 the policy's now.
with gone as (
    delete from nudged.occurrence o
    where o.user_id = $1 and o.id = $2
      and not exists (select 1 from nudged.reminder r where r.user_id = o.user_id and r.id = o.reminder_id)
    returning o.user_id, o.id
)
insert into nudged.delivery (user_id, kind, key, device_hash, outcome, reason, attempted_at, sweep_id)
select user_id, 'reminder', id::text, '', 'dropped', 'cancelled', $3, '00000000-0000-0000-0000-000000000000' from gone
