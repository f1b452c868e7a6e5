-- All other rows are added up under the empty name.
SELECT if(toString(${key}) IN {names:Array(String)}, toString(${key}), '') AS name, count() AS views
FROM ad_results
WHERE domain != ''${where}
GROUP BY name
