    SELECT domain, country, ad, views, rank_sum, brand_id, term_id, keyword, keyword_type, localization_id, region, engine, device, kind,
        title, description, creative, first_seen, last_seen
    FROM ad_days
    WHERE domain != ''
    AND (toUInt16(day), build) IN {days:Array(Tuple(UInt16, UInt64))}
    AND day BETWEEN toDate({first_day:UInt16}) AND toDate({last_day:UInt16})${where}
