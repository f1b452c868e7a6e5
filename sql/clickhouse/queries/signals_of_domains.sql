-- What the ads of some domains show to a reader of some brands, most shown first. A day that was written twice counts once.
SELECT toString(domain) AS host, toString(kind) AS sort, value, sum(ads) AS shown, CAST(groupUniqArray(country), 'Array(String)') AS countries,
    toString(argMax(capture, day)) AS capture
FROM
(
    SELECT domain, kind, value, day, country, max(ads) AS ads, any(capture_id) AS capture
    FROM ad_signals
    WHERE domain IN {domains:Array(String)} AND day >= {since:Date} AND ({all_brands:Bool} OR brand_id IN {brands:Array(UInt32)})
    GROUP BY domain, kind, value, brand_id, country, day
)
GROUP BY domain, kind, value
ORDER BY shown DESC, host, sort, value
LIMIT {most:UInt32} BY domain
