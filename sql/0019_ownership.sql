-- Ownership of ranges, until the migrations that are written anew take this one's place.
drop table nudged.intent;
drop table nudged.daemon;
create table nudged.member (
    id uuid primary key,
    daemon_id uuid not null,
    joined_at timestamptz not null default now()
);
create table nudged.range (
    id smallint primary key check (id between -32 and 31),
    owner uuid references nudged.member on delete set null
);
create index range_owner on nudged.range (owner);
insert into nudged.range (id) select generate_series(-32, 31);
create table nudged.daemon (
    daemon_id uuid primary key,
    host text not null,
    pid integer not null,
    version text not null,
    started_at timestamptz not null,
    seen_at timestamptz not null,
    state jsonb not null,
    member uuid references nudged.member on delete set null,
    alive_until timestamptz
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 200);
create index daemon_member on nudged.daemon (member);
create table nudged.intent (
    id uuid primary key,
    member uuid references nudged.member on delete set null,
    sweep_id uuid not null,
    attempted_at timestamptz not null,
    user_ids uuid[] not null,
    kinds text[] not null,
    keys text[] not null,
    slots date[] not null,
    device_hashes text[] not null,
    apns_ids uuid[] not null,
    retries text[] not null,
    counted boolean[] not null,
    nudges smallint[] not null,
    ends boolean[] not null,
    templates integer[] not null,
    records jsonb,
    settled uuid[] not null default '{}',
    withdrawn_until timestamptz
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 500);
create index intent_member on nudged.intent (member);
alter table nudged.member enable row level security;
alter table nudged.range enable row level security;
alter table nudged.daemon enable row level security;
alter table nudged.intent enable row level security;
alter table nudged.person drop column lease_id, drop column lease_until;
drop index nudged.touched_urgent;
create index touched_urgent on nudged.touched (id) where urgent;
create index touched_oldest on nudged.touched (id) where not urgent;

create function nudged.hold_member(member uuid) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
    perform from nudged.member m where m.id = hold_member.member for key share;
    if not found then
        raise exception using errcode = 'ND020', message = 'membership has ended';
    end if;
end
$$;

create or replace function nudged.forget(user_id uuid) returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    recipient constant uuid := forget.user_id;
    gone bigint;
    erased bigint := 0;
begin
    delete from nudged.reminder where user_id = recipient;
    delete from nudged.touched where user_id = recipient;
    delete from nudged.person where user_id = recipient;
    get diagnostics gone = row_count;
    erased := erased + gone;
    with open as materialized (
        select id from nudged.intent where recipient = any (user_ids) for update skip locked
    )
    update nudged.intent i set records = (
        select jsonb_agg(r) from jsonb_array_elements(i.records) r where r ->> 'user_id' <> recipient::text
    ), (user_ids, kinds, keys, slots, device_hashes, apns_ids, retries, counted, nudges, ends, templates) = (
        select
            coalesce(array_agg(d.user_id order by d.place), '{}'), coalesce(array_agg(d.kind order by d.place), '{}'),
            coalesce(array_agg(d.key order by d.place), '{}'), coalesce(array_agg(d.slot order by d.place), '{}'),
            coalesce(array_agg(d.device_hash order by d.place), '{}'), coalesce(array_agg(d.apns_id order by d.place), '{}'),
            coalesce(array_agg(d.retry order by d.place), '{}'), coalesce(array_agg(d.counted order by d.place), '{}'),
            coalesce(array_agg(d.nudge order by d.place), '{}'), coalesce(array_agg(d.ends order by d.place), '{}'),
            coalesce(array_agg(d.template order by d.place), '{}')
        from unnest(
            i.user_ids, i.kinds, i.keys, i.slots, i.device_hashes, i.apns_ids, i.retries, i.counted, i.nudges, i.ends, i.templates
        ) with ordinality as d (user_id, kind, key, slot, device_hash, apns_id, retry, counted, nudge, ends, template, place)
        where d.user_id <> recipient
    )
    from open o where i.id = o.id;
    delete from nudged.message where user_id = recipient;
    delete from nudged.message_key where user_id = recipient;
    delete from nudged.occurrence where user_id = recipient;
    delete from nudged.delivery where user_id = recipient;
    return erased;
end
$$;
