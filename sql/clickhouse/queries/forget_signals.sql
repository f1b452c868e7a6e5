ALTER TABLE ${local}ad_signals ${on_cluster} DELETE WHERE day < {before:Date} SETTINGS mutations_sync = 2
