-- name: join
-- Makes a daemon a member. $1 member, $2 daemon id, $3 its lease in milliseconds.
with joined as (insert into nudged.member (id, daemon_id) values ($1, $2) on conflict (id) do nothing)
insert into nudged.lease (member, alive_until) values ($1, statement_timestamp() + $3 * interval '1 millisecond') on conflict (member) do nothing

-- name: renew
-- Renews a member's lease. $1 member, $2 lease in milliseconds. Rows: the member.
update nudged.lease set alive_until = statement_timestamp() + $2 * interval '1 millisecond' where member = $1 returning member

-- name: take_ranges
-- Takes free ranges, up to the fair share of 64. $1 member. Members whose lease has ended don't count. SKIP LOCKED: two
-- members that take ranges at once share those that are free.
update nudged.range set owner = $1
where id = any (array(
    select id from nudged.range where owner is null order by random()
    limit (
        select greatest(0, ceil(64.0 / greatest(1, count(*)))::integer - (select count(*) from nudged.range where owner = $1)::integer)
        from nudged.lease where alive_until > statement_timestamp()
    )
    for update skip locked
))

-- name: membership
-- One row: the ranges, their owners (parallel; null: free), the members whose lease has not ended.
select
    (select array_agg(id order by id) from nudged.range), (select array_agg(owner order by id) from nudged.range),
    array(select member from nudged.lease where alive_until > statement_timestamp() order by member)

-- name: hold_member
-- Locks this daemon's membership until the commit: nobody declares it dead meanwhile. $1 member. ND020 if it has ended.
select nudged.hold_member($1)

-- name: lock_member
-- Locks a member's row before `end_member` reads what depends on it: commits come before or after. $1 member.
select id from nudged.member where id = $1 for update

-- name: own_intents
-- Open intents of a member ($1), to find those unknown to its daemon: a promoted standby may lack their settlement.
select id from nudged.intent where member = $1 and withdrawn_until is null

-- name: orphan_intents
-- Turns intents of a member into orphans, which are recorded as unknown. $1 member, $2 intents.
update nudged.intent set member = null where id = any ($2) and member = $1

-- name: end_member
-- Ends a membership: foreign keys free its ranges and make its intents orphans. $1 member, $2 true if its lease has ended
-- (nothing happens if it was renewed), false if it leaves (nothing if an intent is open). One row: whether it ended.
with gone as (
    delete from nudged.member m
    where m.id = $1
      and case when $2
          then not exists (select 1 from nudged.lease l where l.member = $1 and l.alive_until > statement_timestamp())
          else not exists (select 1 from nudged.intent i where i.member = $1 and i.withdrawn_until is null) end
    returning 1
)
select exists (select 1 from gone) or not exists (select 1 from nudged.member where id = $1)

-- name: ended_members
-- Members whose lease has ended. $1 this daemon's member, which is left out. Rows: member.
select m.id from nudged.member m
where m.id <> $1 and not exists (select 1 from nudged.lease l where l.member = m.id and l.alive_until > statement_timestamp()) order by m.id limit 64

-- name: living_daemons
-- Daemons whose lease has not ended. $1 most rows. Rows: daemon id, host and pid (null: it has no row of its own yet), milliseconds left.
select
    m.daemon_id, (select d.host from nudged.daemon d where d.daemon_id = m.daemon_id),
    (select d.pid from nudged.daemon d where d.daemon_id = m.daemon_id),
    -- Infinity is no number of milliseconds.
    (1000 * extract(epoch from least(max(l.alive_until), statement_timestamp() + interval '100 years') - statement_timestamp()))::bigint
from nudged.member m join nudged.lease l on l.member = m.id
where l.alive_until > statement_timestamp() group by m.daemon_id order by m.daemon_id limit $1
