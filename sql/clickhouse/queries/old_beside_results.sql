SELECT
    ifNull((SELECT count() FROM creatives WHERE stored_at < toDateTime(toDate({before:UInt16}), 'UTC')), 0) AS texts,
    ifNull((SELECT count() FROM sems_by_hand WHERE removed OR date < toInt64({before:UInt16}) * 86400000), 0) AS by_hand
