    SELECT domain, country, ad, toUInt32(1) AS views, toUInt32(rank) AS rank_sum
    FROM ad_results
    WHERE domain != ''${where}
