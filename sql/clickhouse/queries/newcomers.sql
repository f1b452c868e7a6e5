-- Sightings in quarters of an hour. A row spans a week at most, so a longer gap lies between two rows.
SELECT name, begin, is_new, if(is_new, seen[1], seen[back]) AS since, if(is_new, 0, gaps[back]) AS away, if(begin = {begin:UInt32}, terms, 0) AS on_terms
FROM
(
    SELECT
        name,
        begin,
        terms,
        arrayFilter(quarter -> quarter BETWEEN known_from AND until, sightings) AS seen,
        arrayDifference(seen) AS gaps,
        notEmpty(seen) AND seen[1] >= begin AS is_new,
        arrayLastIndex((gap, quarter) -> gap >= {away:UInt32} AND quarter >= begin, gaps, seen) AS back
    FROM
    (
        SELECT
            toString(domain) AS name,
            arraySort(groupUniqArrayArray([intDiv(toUInt32(first_seen), 900), intDiv(toUInt32(last_seen), 900)])) AS sightings,
            uniqExactIf(term_id, intDiv(toUInt32(last_seen), 900) >= {begin:UInt32}) AS terms
        FROM
        (
${source}
        )
        GROUP BY domain
    )
    ARRAY JOIN {known_from:Array(UInt32)} AS known_from, {begins:Array(UInt32)} AS begin, {ends:Array(UInt32)} AS until
)
WHERE is_new OR back > 0
ORDER BY on_terms DESC, name
LIMIT {limit:UInt32} BY begin
