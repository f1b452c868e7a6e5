    SELECT domain, country, ad, toUInt32(1) AS views, toUInt32(rank) AS rank_sum, brand_id, term_id, keyword, localization_id, region, engine,
        slot_time AS last_seen
    FROM ad_results
    WHERE domain != ''${where}
