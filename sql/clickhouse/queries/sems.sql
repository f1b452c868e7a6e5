-- Sems entered by hand and captured ads in one shape. The number of a captured ad is that of its batch and row.
SELECT id, 1 AS by_hand, brand_id, term, date, brand, title, description, display_url, target_url, position, real_position, domain,
    country, language, region, engine, type, device, term_id, dealer_id
FROM sems_by_hand FINAL
WHERE NOT removed
UNION ALL
SELECT batch * 8192 + row, 0, ads.brand_id, CAST(nullIf(ads.keyword, '') AS Nullable(String)),
    CAST(toInt64(toUnixTimestamp(ads.seen_at)) * 1000 AS Nullable(Int64)),
    CAST(nullIf(toString(ads.brand_id), '0') AS Nullable(String)), CAST(nullIf(ads.title, '') AS Nullable(String)),
    CAST(nullIf(ads.description, '') AS Nullable(String)), CAST(nullIf(ads.display_url, '') AS Nullable(String)),
    CAST(nullIf(ads.target_url, '') AS Nullable(String)), CAST(ads.position AS Nullable(Float64)),
    CAST(ads.real_position AS Nullable(Float64)), CAST(nullIf(ads.domain, '') AS Nullable(String)),
    CAST(nullIf(ads.country, '') AS Nullable(String)), CAST(nullIf(ads.language, '') AS Nullable(String)),
    CAST(nullIf(ads.region, '') AS Nullable(String)), CAST(nullIf(ads.engine, '') AS Nullable(String)),
    CAST(nullIf(ads.kind, '') AS Nullable(String)), CAST(nullIf(ads.device, '') AS Nullable(String)),
    CAST(nullIf(toInt64(ads.term_id), 0) AS Nullable(Int64)), CAST(NULL AS Nullable(Int64))
FROM ad_results AS ads
WHERE ${narrowed}
