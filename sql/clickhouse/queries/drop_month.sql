ALTER TABLE ${local}${table} ${on_cluster}
DROP PARTITION ID {month:String}
-- A month may be larger than what servers protect by default.
SETTINGS max_partition_size_to_drop = 0, max_table_size_to_drop = 0
