SELECT
    (SELECT count() FROM creatives WHERE stored_at < toDateTime(toDate({before:UInt16}), 'UTC')) AS texts,
    (SELECT count() FROM sems_by_hand WHERE removed OR date < toInt64({before:UInt16}) * 86400000) AS by_hand
