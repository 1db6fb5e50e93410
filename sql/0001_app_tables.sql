-- The app's own tables, as an existing project brings them: created only where absent, columns added only where absent.
-- A table that is found is never changed otherwise: no constraint, no index, no row-level security.

do $$
declare
    wanted record;
begin
    if to_regclass('public.context_profiles') is null then
        create table public.context_profiles (
            user_id uuid primary key,
            notification_preferences jsonb,
            first_session_complete boolean not null default false,
            timezone text
        );
        alter table public.context_profiles enable row level security;
    end if;

    if to_regclass('public.push_tokens') is null then
        create table public.push_tokens (
            id uuid not null default gen_random_uuid(),
            user_id uuid not null,
            device_token text not null,
            platform text not null default 'ios',
            created_at timestamptz not null default now(),
            updated_at timestamptz not null default now(),
            primary key (user_id, id),
            unique (user_id, device_token)
        );
        alter table public.push_tokens enable row level security;
    end if;

    -- The catalog is asked first: ADD COLUMN IF NOT EXISTS would take the app's table exclusively even where there is nothing to add.
    for wanted in
        select * from (values
            ('context_profiles', 'notification_preferences', 'jsonb'),
            ('context_profiles', 'first_session_complete', 'boolean not null default false'),
            ('context_profiles', 'timezone', 'text'),
            ('push_tokens', 'platform', 'text not null default ''ios'''),
            ('push_tokens', 'created_at', 'timestamptz'),
            ('push_tokens', 'updated_at', 'timestamptz'),
            ('push_tokens', 'environment', 'text'),
            ('push_tokens', 'topic', 'text')
        ) as v (relation, attribute, type)
    loop
        if not exists (
            select from pg_attribute
            where attrelid = format('public.%I', wanted.relation)::regclass
              and attname = wanted.attribute and not attisdropped
        ) then
            execute format('alter table public.%I add column %I %s', wanted.relation, wanted.attribute, wanted.type);
        end if;
    end loop;
end
$$;

comment on column public.push_tokens.environment is 'APNs environment of this token: sandbox or production; null: the daemon''s configured one';
comment on column public.push_tokens.topic is 'APNs topic (bundle id) of this token; null: the daemon''s configured one';
