SELECT version, any(checksum) AS checksum
FROM ${local}schema_migrations
GROUP BY version
