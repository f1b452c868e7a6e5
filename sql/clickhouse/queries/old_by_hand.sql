-- Sems whose last version is a removal, or whose date is over. Those without a date never expire.
SELECT id
FROM sems_by_hand
GROUP BY id
HAVING argMax(removed, version) OR argMax(tuple(date), version).1 < toInt64({before:UInt16}) * 86400000
LIMIT 10000
