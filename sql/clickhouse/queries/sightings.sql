-- What was seen on one day, one row for each key of an action, with the ads of the hosts that {judged:String} matches, and of all others the highest of the
-- last ads of each kind: an action that begins again shows it.
WITH (toString(capture_id), toString(kind), toUnixTimestamp(seen_at), real_position, concat(title, ' ', description)) AS ad
SELECT
    brand_id,
    toString(domain) AS host,
    toString(any(master)) AS registrable,
    toString(country) AS in_country,
    toString(engine) AS on_engine,
    CAST(arraySort(groupUniqArray(language)), 'Array(String)') AS languages,
    arraySort(groupUniqArray(term_id)) AS terms,
    maxIf(seen_at, kind = 'ads') AS last_text,
    maxIf(seen_at, kind = 'shopping') AS last_shopping,
    min(seen_at) AS first,
    if({judged:String} != '' AND match(domain, {judged:String}),
        groupArrayIf(ad, {judged:String} != '' AND match(domain, {judged:String})),
        arrayFilter(best -> best.1 != '', [
            argMinIf(ad, (-toInt64(toUnixTimestamp(seen_at)), real_position), kind = 'ads'),
            argMinIf(ad, (-toInt64(toUnixTimestamp(seen_at)), real_position), kind = 'shopping')
        ])) AS known_ads
FROM ad_results
WHERE day = toDate({day:UInt16}) AND domain != '' AND brand_id IN {brands:Array(UInt32)}
GROUP BY brand_id, domain, country, engine
ORDER BY brand_id, in_country, on_engine, host
