ALTER TABLE ${local}${table} ${on_cluster}
DELETE WHERE build IN {builds:Array(UInt64)}
