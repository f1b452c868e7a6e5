ALTER TABLE ${local}sems_by_hand ${on_cluster} DELETE WHERE has({ids:Array(UInt64)}, id) SETTINGS mutations_sync = 2
