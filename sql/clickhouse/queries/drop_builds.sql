ALTER TABLE ${local}ad_days ${on_cluster}
DELETE WHERE build IN {builds:Array(UInt64)}
