SELECT toString(${column}) AS text, count() AS views
FROM ad_results
WHERE ${column} != ''${where}
GROUP BY ${column}
ORDER BY views DESC, text
LIMIT {limit:UInt32}
