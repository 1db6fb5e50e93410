-- Deletes questions that nobody waits for any more, and answers that are five minutes old. Rows: none.
delete from nudged.preview
where asked_at < statement_timestamp() - interval '5 minutes' or answer is null and asked_at < statement_timestamp() - interval '1 minute'
