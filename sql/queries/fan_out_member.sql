-- Whether a user is a member of a subject. $1 subject type, $2 subject id, $3 user.
select exists (select 1 from nudged.subject_member where subject_type = $1 and subject_id = $2 and user_id = $3)
