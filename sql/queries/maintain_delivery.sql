-- Makes the record's next partitions and drops old ones. $1 days ahead, $2 days to keep.
select made, dropped from nudged.maintain_delivery($1, $2)
