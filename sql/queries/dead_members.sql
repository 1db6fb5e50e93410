-- Members whose lease has ended. $1 this daemon's member, which is left out. Rows: member.
select m.id from nudged.member m
where m.id <> $1
  and not exists (select 1 from nudged.lease l where l.member = m.id and l.alive_until > statement_timestamp())
limit 64
