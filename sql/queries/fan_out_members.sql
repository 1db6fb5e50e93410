-- The next members of a subject, each once. $1 subject type, $2 subject id, $3 after this member (null: from the first
-- on), $4 most rows.
select distinct user_id from nudged.subject_member
where subject_type = $1 and subject_id = $2 and user_id is not null and ($3::uuid is null or user_id > $3)
order by user_id
limit $4
