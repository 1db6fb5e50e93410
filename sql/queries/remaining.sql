-- Whether anyone is still due. $1 the policy's now, $2 all ranges, $3 this daemon's ranges.
-- One row: whether someone is due in any range, or a touch, an orphan or a fan-out waits; whether someone is due in
-- this daemon's ranges.
select
    exists (select 1 from nudged.person where uuid_hash(user_id) >> 26 = any ($2::integer[]) and due_at <= $1)
    or exists (select 1 from nudged.touched)
    or exists (select 1 from nudged.intent where member is null and withdrawn_until is null)
    or exists (select 1 from nudged.occurrence where is_fan_out and wakes_at <= $1),
    exists (select 1 from nudged.person where uuid_hash(user_id) >> 26 = any ($3::integer[]) and due_at <= $1)
