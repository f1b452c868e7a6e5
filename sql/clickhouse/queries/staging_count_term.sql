SELECT
    ifNull((SELECT count() FROM ad_results WHERE term_id = {term:UInt32} AND toYYYYMM(day) = {month:UInt32}), 0) AS were,
    ifNull((SELECT count() FROM ad_results_beside WHERE term_id = {term:UInt32} AND toYYYYMM(day) = {month:UInt32}), 0) AS are
