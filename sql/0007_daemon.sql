-- Who is alive and how they stand. The daemon listens to nothing, so each writes its row every few seconds, and `nudged status` reads them.
create table nudged.daemon (
    daemon_id uuid primary key,
    host text not null,
    pid integer not null,
    version text not null,
    -- Both by this database's clock: a host with a wrong one looks no more alive than it is.
    started_at timestamptz not null,
    seen_at timestamptz not null,
    -- Lanes, last sweeps, pushes in flight; docs/ARCHITECTURE.md has the members.
    state jsonb not null
) with (
    -- A row's next versions stay on its page, so that a beat is a HOT update, and a full page is cleaned by the next beat.
    fillfactor = 20,
    autovacuum_vacuum_scale_factor = 0.0,
    autovacuum_vacuum_threshold = 200
);
alter table nudged.daemon enable row level security;

-- The last day's unknown pushes are counted without reading the record; few rows are, so an append costs it next to nothing.
create index delivery_unknown on nudged.delivery (attempted_at) where outcome = 'unknown';
