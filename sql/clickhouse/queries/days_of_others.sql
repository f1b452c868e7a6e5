-- By month: the first and the last day on which rows of a term are not of this owner.
SELECT toUInt16(min(day)), toUInt16(max(day))
FROM ad_results
WHERE term_id = {term:UInt32} AND (brand_id != {brand:UInt32} OR keyword_type != {keyword_type:String})
GROUP BY toYYYYMM(day)
ORDER BY toYYYYMM(day)
