-- name: maintain_delivery
-- Makes the record's next partitions and drops old ones.
select made, dropped from nudged.maintain_delivery()

-- name: erase_departed
-- Erases the users of nudged.departed who are due, in bounded steps. One row: how many were erased, how many could not.
select erased, held from nudged.erase_departed()

-- name: waiting
-- What waits besides due users. A sweep asks for the rest only if it is there. $1 the policy's now (null: not known
-- yet), $2 touches from this id on. One row: whether a deleted user is to be erased now, a fan-out is due, a touch
-- waits, and an intent has no owner, or is withdrawn and its minute is over.
select
    exists (select 1 from nudged.departed where due_at <= statement_timestamp()),
    exists (select 1 from nudged.occurrence where is_fan_out and wakes_at <= coalesce($1::timestamptz, statement_timestamp())),
    exists (select 1 from nudged.touched where not urgent and id >= $2) or exists (select 1 from nudged.touched where urgent and id >= $2),
    exists (select 1 from nudged.intent where member is null or withdrawn_until < statement_timestamp())

-- name: prune_message_keys
-- Deletes dedupe keys older than 30 days, in bounded steps. One row: how many were deleted.
select nudged.prune_message_keys()

-- name: prune_reminders
-- Deletes reminders that have no pending occurrence, one page in the order of the table's key. $1 and $2 where the last
-- page ended (author, subject type), $3 subject id, $4 most rows. One row: how many were deleted, and the last row of
-- the page (nulls: the end). Settlements, fan-outs and snoozes delete an occurrence and insert the next one in one
-- transaction. So a reminder without a pending occurrence gets no other one.
with page as materialized (
    select user_id, subject_type, subject_id, id, created_at from nudged.reminder
    where (user_id, subject_type, subject_id) > ($1, $2, $3) order by user_id, subject_type, subject_id limit $4
),
gone as (
    delete from nudged.reminder r using page p
    where r.user_id = p.user_id and r.subject_type = p.subject_type and r.subject_id = p.subject_id and r.id = p.id
      and r.id <> all (array(select o.reminder_id from nudged.occurrence o where o.reminder_id = any (array(select id from page))))
    returning 1
),
last as (select user_id, subject_type, subject_id from page order by user_id desc, subject_type desc, subject_id desc limit 1)
select (select count(*) from gone), (select user_id from last), (select subject_type from last), (select subject_id from last)
