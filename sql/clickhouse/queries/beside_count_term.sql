SELECT
    (SELECT count() FROM ad_results WHERE term_id = {term:UInt32} AND toYYYYMM(day) = {month:UInt32}) AS were,
    (SELECT count() FROM ad_results_beside WHERE term_id = {term:UInt32} AND toYYYYMM(day) = {month:UInt32}) AS are
