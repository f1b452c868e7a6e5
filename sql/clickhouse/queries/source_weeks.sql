    SELECT domain, country, ad, views, rank_sum, brand_id, term_id, keyword, keyword_type, localization_id, region, engine, device, kind,
        title, description, creative, first_seen, last_seen
    FROM ad_weeks
    WHERE domain != ''
    AND (toUInt16(week), build) IN {weeks:Array(Tuple(UInt16, UInt64))}
    AND week BETWEEN toDate({first_week:UInt16}) AND toDate({last_week:UInt16})${where}
