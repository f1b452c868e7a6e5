-- The first day of each, as a number since 1970.
SELECT DISTINCT toUInt16(toStartOfMonth(day)) AS month
FROM ad_results
ORDER BY month
