-- The tables of an existing app before nudged is installed. The migrations find them, and add only what is missing.
create table public.context_profiles (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null unique,
    notification_preferences jsonb,
    first_session_complete boolean not null default false,
    timezone text
);
create table public.push_tokens (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null,
    device_token text not null,
    platform text not null default 'ios',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (user_id, device_token)
);
