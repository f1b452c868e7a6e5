SELECT *
FROM ${table}
WHERE _partition_id = {partition:String}
