-- Sightings in quarters of an hour. Rows that begin in one week span two weeks at most, and who is back was away for longer: of these rows, the first and
-- the last sighting are enough.
SELECT name, time, is_new, if(is_new, seen[1], seen[back]) AS since, if(is_new, 0, gaps[back]) AS away, if(time = 1, terms, 0) AS on_terms
FROM
(
    SELECT
        name,
        time,
        terms,
        arrayFilter(quarter -> quarter BETWEEN known_from AND until, sightings) AS seen,
        arrayDifference(seen) AS gaps,
        notEmpty(seen) AND seen[1] >= begin AS is_new,
        arrayLastIndex((gap, quarter) -> gap >= {away:UInt32} AND quarter >= begin, gaps, seen) AS back
    FROM
    (
        SELECT toString(domain) AS name, arraySort(groupArrayArray([first, last])) AS sightings, uniqExactArray(terms_of_week) AS terms
        FROM
        (
            SELECT
                domain,
                intDiv(toUInt32(min(first_seen)), 900) AS first,
                intDiv(toUInt32(max(last_seen)), 900) AS last,
                groupUniqArrayIf(term_id, intDiv(toUInt32(last_seen), 900) >= {begins:Array(UInt32)}[1]) AS terms_of_week
            FROM
            (
${source}
            )
            GROUP BY domain, intDiv(toUInt32(first_seen), 604800)
        )
        GROUP BY domain
    )
    ARRAY JOIN {known_from:Array(UInt32)} AS known_from, {begins:Array(UInt32)} AS begin, {ends:Array(UInt32)} AS until,
        arrayEnumerate({begins:Array(UInt32)}) AS time
)
WHERE is_new OR back > 0
ORDER BY on_terms DESC, name
LIMIT {limit:UInt32} BY time
