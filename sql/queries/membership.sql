-- Who owns which range, and whose lease has not ended.
-- One row: the ranges, their owners (parallel; null: free), the members whose lease has not ended.
select
    (select array_agg(id order by id) from nudged.range),
    (select array_agg(owner order by id) from nudged.range),
    array(select member from nudged.lease where alive_until > statement_timestamp() order by member)
