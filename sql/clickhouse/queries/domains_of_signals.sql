-- For each thing that the ads of some domains show to a reader of some brands: other domains that show it to the same reader, and how many domains show
-- it at all.
SELECT toString(kind) AS sort, value, CAST(groupUniqArrayIf(16)(domain, seen), 'Array(String)') AS hosts, uniqExact(domain) AS users
FROM
(
    SELECT kind, value, domain, max({all_brands:Bool} OR brand_id IN {brands:Array(UInt32)}) AS seen
    FROM ad_signals
    WHERE day >= {since:Date} AND value_hash GLOBAL IN
    (
        SELECT value_hash
        FROM ad_signals
        WHERE domain IN {domains:Array(String)} AND day >= {since:Date} AND ({all_brands:Bool} OR brand_id IN {brands:Array(UInt32)})
    )
    GROUP BY kind, value, domain
)
GROUP BY kind, value
HAVING users > 1
