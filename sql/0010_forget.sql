-- Erases a user: nothing in schema nudged says any more that they were ever there. Returns the rows that went.
--
-- Call it in the transaction in which the app deletes its own rows of the user, after them: what the triggers append then goes as well. Where the
-- app's rows stay, the next change of them brings the user back. A push that is being written at that moment goes out; its outcome is recorded nowhere.
--
-- The order is that of everyone who waits: definitions of reminders (as a spread, a snooze), touches, then person (as a drain). Whoever writes something for
-- this user meanwhile holds one of these rows (spread_tell.sql, nudged.snooze), so it is waited for, and what it wrote is found by the statements after. No lock
-- on an intent is waited for: whoever holds one waits for the person's row, finds it gone, and records nothing (settle.sql, recover.sql).
-- It erases what later migrations keep of a user as well (messages, reminders, templates beside an open intent): nobody calls it before they are there.
create function nudged.forget(user_id uuid) returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    recipient constant uuid := forget.user_id;
    gone bigint;
    erased bigint := 0;
    before bytea := uuid_send(recipient);
    place integer := 15;
begin
    if recipient is null then
        raise invalid_parameter_value using message = 'nudged.forget: user_id is null', hint = 'Name the user who is to be erased.';
    end if;
    delete from nudged.reminder where user_id = recipient;
    get diagnostics gone = row_count;
    erased := erased + gone;
    delete from nudged.touched where user_id = recipient;
    get diagnostics gone = row_count;
    erased := erased + gone;
    -- An intent that was on its way to its commit finds this row gone before the first byte (touched_since.sql).
    delete from nudged.person where user_id = recipient;
    get diagnostics gone = row_count;
    erased := erased + gone;
    -- What is on its way keeps its intent, without this user: the fence of the others' outcomes.
    with open as materialized (
        select lease_id, number from nudged.intent where recipient = any (user_ids) for update skip locked
    )
    update nudged.intent i set records = (
        select jsonb_agg(r) from jsonb_array_elements(i.records) r where r ->> 'user_id' <> recipient::text
    ), (user_ids, kinds, keys, slots, device_hashes, apns_ids, retries, counted, nudges, ends, templates) = (
        select
            coalesce(array_agg(d.user_id order by d.place), '{}'), coalesce(array_agg(d.kind order by d.place), '{}'),
            coalesce(array_agg(d.key order by d.place), '{}'), coalesce(array_agg(d.slot order by d.place), '{}'),
            coalesce(array_agg(d.device_hash order by d.place), '{}'), coalesce(array_agg(d.apns_id order by d.place), '{}'), array_agg(d.retry order by d.place),
            array_agg(d.counted order by d.place), array_agg(d.nudge order by d.place), array_agg(d.ends order by d.place),
            array_agg(d.template order by d.place)
        from unnest(
            i.user_ids, i.kinds, i.keys, i.slots, i.device_hashes, i.apns_ids, i.retries, i.counted, i.nudges, i.ends, i.templates
        ) with ordinality as d (user_id, kind, key, slot, device_hash, apns_id, retry, counted, nudge, ends, template, place)
        where d.user_id <> recipient
    )
    from open o where i.lease_id = o.lease_id and i.number = o.number;
    get diagnostics gone = row_count;
    erased := erased + gone;
    delete from nudged.message where user_id = recipient;
    get diagnostics gone = row_count;
    erased := erased + gone;
    delete from nudged.message_key where user_id = recipient;
    get diagnostics gone = row_count;
    erased := erased + gone;
    delete from nudged.occurrence where user_id = recipient;
    get diagnostics gone = row_count;
    erased := erased + gone;
    delete from nudged.occurrence where author_id = recipient and author_id <> user_id;
    get diagnostics gone = row_count;
    erased := erased + gone;
    -- A spread that pauses after this user goes on after whoever is no user, one before: from the beginning, where
    -- nobody can be before them.
    while place >= 0 and get_byte(before, place) = 0 loop
        before := set_byte(before, place, 255);
        place := place - 1;
    end loop;
    if place >= 0 then
        before := set_byte(before, place, get_byte(before, place) - 1);
    end if;
    update nudged.occurrence set spread_after = case when place >= 0 then encode(before, 'hex')::uuid end where spread_after = recipient;
    delete from nudged.delivery where user_id = recipient;
    get diagnostics gone = row_count;
    erased := erased + gone;
    -- What was appended meanwhile; one that a daemon has taken already finds nobody of whom the app has anything (drain.sql).
    delete from nudged.touched where user_id = recipient and (user_id, id) in (
        select t.user_id, t.id from nudged.touched t where t.user_id = recipient for update skip locked
    );
    get diagnostics gone = row_count;
    return erased + gone;
end
$$;
revoke all on function nudged.forget(uuid) from public;
