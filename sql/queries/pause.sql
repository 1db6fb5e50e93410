-- Pauses kinds. A kind that is paused already stays as it is. $1 kinds, $2 by whom, $3 the reason or null. Rows: the
-- kinds that were not paused before.
insert into nudged.paused as p (kind, by_whom, reason)
select kind, $2, $3 from unnest($1::text[]) as kind
order by kind
on conflict (kind) do update set since = excluded.since, by_whom = excluded.by_whom, reason = excluded.reason, resumed_at = null
where p.resumed_at is not null
returning kind
