-- Makes the record's next partitions and drops old ones.
select made, dropped from nudged.maintain_delivery()
