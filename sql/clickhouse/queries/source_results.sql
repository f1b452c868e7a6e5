    SELECT domain, country, ad, toUInt32(1) AS views, toUInt32(rank) AS rank_sum, brand_id, term_id, keyword, keyword_type,
        localization_id, region, engine, device, kind, title, description,
        if(title = '', 0, cityHash64(domain, kind, title)) AS creative, seen_at AS first_seen, seen_at AS last_seen
    FROM ad_results
    WHERE domain != ''${within}${where}
