-- The kill switch (nudged pause, nudged resume): which kinds are held. A daemon reads it at each look around, and after each intent's
-- commit before the first byte: what is paused is not written from then on, whatever a daemon had decided before.
create table nudged.paused (
    kind text primary key check (kind in ('check_in', 'message', 'reminder')),
    -- When sending stopped.
    since timestamptz not null default clock_timestamp(),
    -- Since when users may have been held whom no resume has made due yet: a pause, a resume that was interrupted, and another pause.
    held_since timestamptz not null default clock_timestamp(),
    by_whom text not null,
    words text,
    -- Set by a resume: sent again from then on. The row goes once everyone who was held is due.
    resumed_at timestamptz
);
alter table nudged.paused enable row level security;

-- The daemon reads it. Who turns the switch does so with the daemon's own configuration, and so with its login: in an emergency nobody has time to find another
-- one. It is no new power: whoever has that login can keep every nudge back as it is.
select nudged.allow('nudged_daemon', 'select, insert, update, delete', 'nudged.paused');
