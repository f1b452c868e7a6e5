    SELECT day, cityHash64(capture_id) AS capture, seen_at, domain != ''${others} AS shows_others
    FROM ad_results
    WHERE true${within}${where}
