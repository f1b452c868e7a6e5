ALTER TABLE ${local}schema_migrations ${on_cluster}
UPDATE checksum = {checksum:UInt64} WHERE version = {version:UInt32}
SETTINGS mutations_sync = 2
