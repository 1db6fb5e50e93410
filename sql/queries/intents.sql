-- name: hold_messages
-- Locks the messages and reminders of an intent against nudged_api.cancel, nudged_api.cancel_reminders and the like,
-- until the commit. It runs in the intent's transaction, before the intent. A message or reminder that was cancelled,
-- or is being cancelled, is missing in the result. It waits for nobody. $1 users, $2 ids (parallel). Rows: user, id.
with messages as (select m.user_id, m.id from nudged.message m where m.user_id = any ($1) and m.id = any ($2) for key share skip locked),
reminders as (select o.user_id, o.id from nudged.occurrence o where o.user_id = any ($1) and o.id = any ($2) for key share skip locked)
select user_id, id from messages union all select user_id, id from reminders

-- name: hold_messages_distributed
-- As `hold_messages`, for distributed tables, which refuse FOR KEY SHARE across shards. An UPDATE that changes
-- nothing locks the rows as well. It waits for a cancellation under way, up to the lock time-out.
with messages as (update nudged.message m set urgent = urgent where m.user_id = any ($1) and m.id = any ($2) returning m.user_id, m.id),
reminders as (update nudged.occurrence o set is_own = is_own where o.user_id = any ($1) and o.id = any ($2) returning o.user_id, o.id)
select user_id, id from messages union all select user_id, id from reminders

-- name: intent
-- Commits what is about to be written to Apple. The users' rows stay as they are: while the intent is open, their owner
-- has them in hand. If it dies, another daemon records the contents. The foreign key refuses the intent if the
-- membership has ended. No other lock is needed: whatever changes a user leaves a touch. `touched_since` sees that
-- after the commit and before the first byte, and the daemon knows which touches it has drained. $1 intent, $2 member,
-- $3 sweep id, $4 the instant of the attempt, $5 users (parallel: $6 turns, $7 contents), $8 messages and reminders.
insert into nudged.intent (id, member, sweep_id, attempted_at, user_ids, turns, contents, message_ids, open)
values ($1, $2, $3, $4, $5, $6, $7, $8, cardinality($5::uuid[]))

-- name: touched_since
-- Whose data has changed up to now. Run between the intent's commit and the first byte. $1 users. A row per touch.
select user_id from nudged.touched where user_id = any ($1) and not arrival

-- name: withdraw_intents
-- Takes the place of intents that may or may not have been committed: the connection was lost, or the answer came too
-- late. It waits for a commit under way, as any unique key does. A commit that comes later finds the place taken and
-- fails. The empty row is deleted after a minute (`orphans`). $1 intents, $2 member, $3 sweep id.
insert into nudged.intent (id, member, sweep_id, attempted_at, user_ids, turns, contents, open, withdrawn_until)
select i.id, $2, $3, statement_timestamp(), '{}', '{}', '{}', 0, statement_timestamp() + interval '1 minute'
from unnest($1::uuid[]) as i (id) order by i.id on conflict (id) do nothing

-- name: close_intents
-- Closes intents for users who are settled in this transaction. Parallel: $1 intents, $2 how many of their users. $3
-- whether this is a repeated attempt: then the users are counted by their turns, since the first attempt may have taken
-- effect. $4 those of these intents of which the daemon has no other push. If other users are still open in the
-- database, a promoted standby lacks their settlement: the intent becomes an orphan.
update nudged.intent i set
    open = case when $3 then (
        select count(*) from unnest(i.user_ids, i.turns) as o (user_id, turn)
        join (select p.user_id, p.turn from nudged.person p where p.user_id = any (i.user_ids)) as q on q.user_id = o.user_id and q.turn <= o.turn
    ) else i.open - w.users end,
    member = case when i.id = any ($4) then null else i.member end
from unnest($1::uuid[], $2::integer[]) as w (id, users) where i.id = w.id and i.withdrawn_until is null

-- name: drop_intents
-- Deletes intents that are closed, and withdrawn ones that were committed; an empty row keeps its place
-- (`withdraw_intents`). $1 those of which users were settled now, $2 withdrawn ones.
delete from nudged.intent where withdrawn_until is null and (id = any ($1) and open <= 0 or id = any ($2))

-- name: orphans
-- Open intents of members that have ended. It also deletes empty rows whose minute is over (`withdraw_intents`). $1
-- most, $2 intents that are left for a while. In random order, so that daemons that recover at once rarely meet.
with past as (delete from nudged.intent where withdrawn_until < statement_timestamp())
select i.id, i.sweep_id, i.attempted_at, i.user_ids, i.turns, i.contents
from nudged.intent i where i.member is null and i.withdrawn_until is null and i.id <> all ($2) order by random() limit $1

-- name: turns
-- The turns of these users. $1 users. Rows: user, turn.
select user_id, turn from nudged.person where user_id = any ($1)

-- name: drop_orphan
-- Deletes an orphan whose users are settled. $1 intent.
delete from nudged.intent where id = $1 and member is null

-- name: stuck_commits
-- Whether a commit of this role has waited for a synchronous standby for more than a second: the standby is away.
select count(*) > 0 from pg_stat_activity
where usename = current_user and wait_event = 'SyncRep' and state_change < statement_timestamp() - interval '1 second'
