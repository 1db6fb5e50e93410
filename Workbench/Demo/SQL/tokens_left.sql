-- Every token that is still registered. Rows: token.
select device_token from public.push_tokens order by device_token limit 10000000
