/// A database as Supabase makes it.
package enum Supabase {
    /// Its roles, the rights that they get on what is made in schema public, and `auth.uid()`. Roles belong to the
    /// cluster, on which other tests make the same.
    package static let setUp = """
        do $$ declare wanted text; begin
            foreach wanted in array array['anon', 'authenticated', 'service_role', 'authenticator'] loop
                begin
                    if not exists (select from pg_roles where rolname = wanted) then
                        execute format('create role %I %s', wanted, case wanted
                            when 'service_role' then 'nologin bypassrls' when 'authenticator' then 'login noinherit' else 'nologin' end);
                    end if;
                exception when duplicate_object or unique_violation then null;
                end;
            end loop;
            foreach wanted in array array['anon', 'authenticated', 'service_role'] loop
                begin
                    if not pg_has_role('authenticator', wanted, 'member') then execute format('grant %I to authenticator', wanted); end if;
                exception when unique_violation then null;
                end;
            end loop;
        end $$;
        create schema auth;
        create function auth.uid() returns uuid language sql stable as $$
            select coalesce(
                nullif(current_setting('request.jwt.claim.sub', true), ''),
                nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid
        $$;
        grant usage on schema auth to anon, authenticated, service_role;
        grant usage on schema public to anon, authenticated, service_role;
        alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
        alter default privileges in schema public grant all on routines to anon, authenticated, service_role;
        alter default privileges in schema public grant all on sequences to anon, authenticated, service_role;
        """
}
