-- name: read_users
-- Users' own rows, with the columns of `claim_people` in the same order. $1 users.
select user_id, turn, version, due_at, evaluated_at, since, touched_at, retry::text, quarantine::text, state, ignored
from nudged.person where user_id = any ($1)

-- name: read_due
-- Users of one range who are due up to an instant, with the columns of `claim_people` in the same order, by the claim's
-- index. $1 range, $2 and $3 where the last page ended (due_at, user_id), $4 due up to, $5 most users.
select user_id, turn, version, due_at, evaluated_at, since, touched_at, retry::text, quarantine::text, state, ignored
from nudged.person
where uuid_hash(user_id) >> 26 = $1 and due_at <= $4 and (due_at, user_id) > ($2, $3) order by uuid_hash(user_id) >> 26, due_at, user_id limit $5

-- name: read_waiting
-- Users with touches that no sweep has drained, in the order of user_id. The next sweep makes them due. $1 after this
-- user, $2 due up to, $3 most users. Rows: user_id, whether they have a row that is due by then anyway.
with waiting as materialized (select user_id from nudged.touched where user_id > $1 group by user_id order by user_id limit $3),
due as materialized (select user_id from nudged.person where user_id = any (array(select user_id from waiting)) and due_at <= $2)
select user_id, (user_id in (select user_id from due)) is true from waiting order by user_id

-- name: read_touches
-- Touches that no sweep has drained: what `drain` will do for these users. $1 users. Rows: user_id, the newest change
-- (null: something new is to be sent, and nothing else changed).
select user_id, max(at) filter (where not arrival) from nudged.touched where user_id = any ($1) group by user_id

-- name: read_owner
-- A user's range, and the daemon that owns it. $1 user. One row: range, daemon id (null: the range is free).
select r.id, m.daemon_id from nudged.range r left join nudged.member m on m.id = r.owner where r.id = uuid_hash($1) >> 26

-- name: read_intents
-- Open pushes of one user: they are being sent, or their daemon has died. $1 user.
-- Rows: intent, whether its member exists, attempted_at, turn, content (Change.swift).
select i.id, i.member is not null, i.attempted_at, o.turn, o.content
from nudged.intent i cross join lateral unnest(i.user_ids, i.turns, i.contents) as o (user_id, turn, content)
where i.user_ids @> array[$1::uuid] and o.user_id = $1 order by i.attempted_at, i.id

-- name: read_left_out
-- A user's devices that no claim reads. $1 user. One row: rows of nudged.device without a token (a hundred at most),
-- and the platforms that the view leaves out (null: none, or not known).
select (select count(*) from (select 1 from nudged.device where user_id = $1 and token is null limit 100) as rows), nudged.devices_left_out($1)

-- name: read_deliveries
-- One user's record between two instants, the newest first. $1 user, $2 from, $3 up to, $4 most rows.
select kind, key, slot, device_hash, apns_id, outcome, reason, status, attempted_at, decision::text, template
from nudged.delivery where user_id = $1 and attempted_at between $2 and $3 order by attempted_at desc, kind, key, device_hash limit $4
