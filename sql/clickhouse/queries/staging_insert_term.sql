INSERT INTO ad_results_beside (${columns})
SELECT ${expressions}
FROM ad_results
WHERE term_id = {term:UInt32} AND toYYYYMM(day) = {month:UInt32}
SETTINGS insert_deduplicate = 0, distributed_foreground_insert = 1
