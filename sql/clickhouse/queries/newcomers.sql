-- Sightings in quarters of an hour. A row spans a week at most, so a longer gap lies between two rows.
SELECT name, is_new, if(is_new, seen[1], seen[back]) AS since, if(is_new, 0, gaps[back]) AS away, terms
FROM
(
    SELECT
        toString(domain) AS name,
        arraySort(groupUniqArrayArray([intDiv(toUInt32(first_seen), 900), intDiv(toUInt32(last_seen), 900)])) AS seen,
        arrayDifference(seen) AS gaps,
        seen[1] >= {begin:UInt32} AS is_new,
        arrayLastIndex((gap, quarter) -> gap >= {away:UInt32} AND quarter >= {begin:UInt32}, gaps, seen) AS back,
        uniqExactIf(term_id, intDiv(toUInt32(last_seen), 900) >= {begin:UInt32}) AS terms
    FROM
    (
${source}
    )
    GROUP BY domain
)
WHERE is_new OR back > 0
ORDER BY terms DESC, name
LIMIT {limit:UInt32}
