-- Members whose lease has ended. $1 our own member, which is not among them. Rows: member.
select m.id from nudged.member m
where m.id <> $1
  and not exists (select 1 from nudged.daemon d where d.member = m.id and d.alive_until > statement_timestamp())
limit 64
