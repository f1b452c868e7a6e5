-- The state changes with every part that comes or goes, also by a merge.
SELECT
    table,
    partition_id,
    sum(rows) AS rows,
    lower(hex(SHA256(arrayStringConcat(arraySort(groupArray(concat(name, ' ', hash_of_all_files))), '\n')))) AS state
FROM system.parts
WHERE database = {database:String} AND active AND table IN ({tables:Array(String)})
GROUP BY table, partition_id
ORDER BY table, partition_id
