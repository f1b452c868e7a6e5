SELECT name
FROM system.tables
WHERE database = {database:String}
ORDER BY name
