ALTER TABLE ${local}creatives ${on_cluster}
DELETE WHERE stored_at < toDateTime(toDate({before:UInt16}), 'UTC')
SETTINGS mutations_sync = 2
