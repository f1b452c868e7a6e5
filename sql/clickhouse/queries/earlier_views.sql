-- What is none of the names is added up under none.
SELECT if(toString(${key}) IN {names:Array(String)}, toString(${key}), '') AS name, count() AS views
FROM ad_results
WHERE domain != ''${where}
GROUP BY name
