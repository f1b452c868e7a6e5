SELECT day, uniqExact(term_id) AS terms, count() AS views
FROM ad_results
WHERE domain != ''${where}
GROUP BY day
ORDER BY day
