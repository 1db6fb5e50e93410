-- Records as unknown what a dead daemon was about to write when it died: every open intent whose lease has ended, and nothing else; enters those nudges
-- in the histories, deletes the messages that end with it, and frees their users. $1 leases of ours that live, $2 most chunks, $3 the reason that the record gives,
-- $4 and $5 lease id and number of the one chunk that is wanted (null: all). One row: chunks, pushes.
with dead as materialized (
    select lease_id, number from nudged.intent
    where expires_at < statement_timestamp() and lease_id <> all ($1)
      and ($4::uuid is null or lease_id = $4 and number = $5::integer)
    order by lease_id, number
    limit $2
    for update skip locked
),
gone as (
    delete from nudged.intent i using dead d where i.lease_id = d.lease_id and i.number = d.number
    returning i.*
),
pushes as materialized (
    select g.lease_id, g.sweep_id, g.attempted_at, d.*
    from gone g
    cross join lateral unnest(g.user_ids, g.kinds, g.keys, g.slots, g.device_hashes, g.apns_ids, g.retries, g.counted, g.nudges, g.ends, g.templates)
        as d (user_id, kind, key, slot, device_hash, apns_id, retry, counted, nudge, ends, template)
),
-- In the order of user_id, like every other writer that waits: two daemons can't deadlock.
nudges as materialized (
    select
        user_id, lease_id, attempted_at,
        -- retry is the same for all of a user's pushes. counted is null in the intent of an older daemon, which had entered all of this.
        min(retry)::jsonb as retry, bool_and(counted is null) as is_entered,
        max(slot) filter (where kind = 'check_in' and not counted) as slot,
        max(template) filter (where kind = 'check_in' and not counted) as template,
        -- A nudge counts once, whatever its devices.
        count(distinct coalesce(nudge, 0)) filter (where not counted) as sends
    from pushes
    group by user_id, lease_id, attempted_at
),
-- By themselves: on several machines an outer join would bring the whole table here.
owned as materialized (
    select user_id, lease_id from nudged.person where user_id = any (array(select user_id from nudges))
),
-- Of two dead daemons' intents the one under whose lease the row is: the other came after its lease's end, and was not written.
newest as materialized (
    select distinct on (n.user_id) n.*
    from nudges n
    order by n.user_id, ((n.user_id, n.lease_id) in (select user_id, lease_id from owned)) is true desc
),
entered as (
    update nudged.person p set
        -- Another's lease: a commit that came after its lease's end. The row is theirs, and what they decided stands.
        lease_id = case when p.lease_id = n.lease_id then null else p.lease_id end,
        lease_until = case when p.lease_id = n.lease_id then null else p.lease_until end,
        check_in_at = case when p.lease_id = n.lease_id and n.slot is not null then n.attempted_at || p.check_in_at else p.check_in_at end,
        check_in_slot = case when p.lease_id = n.lease_id and n.slot is not null then n.slot || p.check_in_slot else p.check_in_slot end,
        sent = case when p.lease_id = n.lease_id then array_fill(n.attempted_at, array[n.sends::integer]) || p.sent else p.sent end,
        template = case when p.lease_id = n.lease_id and n.slot is not null then n.template else p.template end,
        retry = case when p.lease_id = n.lease_id and not n.is_entered then n.retry else p.retry end
    from newest n
    where p.user_id = n.user_id
    returning p.user_id
),
-- What went by before those pushes.
missed as (
    insert into nudged.delivery (user_id, kind, key, slot, device_hash, outcome, reason, status, attempted_at, sweep_id, decision)
    select r.user_id, r.kind, r.key, r.slot, r.device_hash, r.outcome, r.reason, r.status, r.attempted_at, g.sweep_id, r.decision
    from gone g
    cross join lateral jsonb_to_recordset(g.records) as r (
        user_id uuid, kind text, key text, slot date, device_hash text, outcome text, reason text, status smallint, attempted_at timestamptz,
        decision jsonb
    )
    where (r.user_id in (select user_id from entered)) is true
    on conflict do nothing
),
ended as (
    delete from nudged.message m using pushes d
    where d.ends and d.kind = 'message' and m.user_id = d.user_id and m.id = d.key::uuid
),
-- Those of which the record says now that they were dropped.
dropped as (
    delete from nudged.message m using (
        select (r ->> 'user_id')::uuid as user_id, (r ->> 'key')::uuid as id
        from gone g cross join lateral jsonb_array_elements(g.records) as r
        where r ->> 'kind' = 'message' and r ->> 'outcome' = 'dropped'
    ) as d
    where m.user_id = d.user_id and m.id = d.id and (d.user_id in (select user_id from entered)) is true
),
recorded as (
    insert into nudged.delivery (user_id, kind, key, slot, device_hash, apns_id, outcome, reason, attempted_at, sweep_id, template)
    select d.user_id, d.kind, d.key, d.slot, d.device_hash, d.apns_id, 'unknown', $3, d.attempted_at, d.sweep_id, d.template
    from pushes d
    -- The update has waited for an erasure under way (nudged.forget): nothing is recorded of whoever is gone.
    where (d.user_id in (select user_id from entered)) is true
    on conflict do nothing
    returning 1
)
select (select count(*) from gone), (select count(*) from recorded)
