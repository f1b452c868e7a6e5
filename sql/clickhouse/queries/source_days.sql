    SELECT domain, country, ad, views, rank_sum, brand_id, term_id, keyword, localization_id, region, engine, last_seen
    FROM ad_days
    WHERE domain != ''
    AND (day, build) IN (SELECT day, build FROM ad_day_builds FINAL WHERE sealed)
    AND day BETWEEN toDate({whole_from:UInt16}) AND toDate({whole_to:UInt16})${where}
    UNION ALL
    SELECT domain, country, ad, toUInt32(1), toUInt32(rank), brand_id, term_id, keyword, localization_id, region, engine, slot_time
    FROM ad_results
    WHERE domain != ''
    AND day BETWEEN toDate(toDateTime({from:UInt32}, 'UTC')) AND toDate(toDateTime({to:UInt32}, 'UTC'))
    AND slot_time BETWEEN toDateTime({from:UInt32}, 'UTC') AND toDateTime({to:UInt32}, 'UTC')
    AND (day NOT BETWEEN toDate({whole_from:UInt16}) AND toDate({whole_to:UInt16})
        OR day NOT IN (SELECT day FROM ad_day_builds FINAL WHERE sealed))${where}
