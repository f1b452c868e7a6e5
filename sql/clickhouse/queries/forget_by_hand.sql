-- All versions of a row at once, or an older one would count again. Those without a date have no time that could be over.
ALTER TABLE ${local}sems_by_hand ${on_cluster}
DELETE WHERE id IN
(
    SELECT id
    FROM ${local}sems_by_hand FINAL
    WHERE removed OR date < toInt64({before:UInt16}) * 86400000
)
SETTINGS mutations_sync = 2
