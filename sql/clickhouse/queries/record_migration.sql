INSERT INTO ${local}schema_migrations (version, name, checksum)
SELECT {version:UInt32}, {name:String}, {checksum:UInt64}
