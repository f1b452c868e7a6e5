-- Those whose last version was removed, or whose date is over. Those without a date have no time that could be over.
SELECT id
FROM sems_by_hand
GROUP BY id
HAVING argMax(removed, version) OR argMax(tuple(date), version).1 < toInt64({before:UInt16}) * 86400000
LIMIT 10000
