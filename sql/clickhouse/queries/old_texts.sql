SELECT count() FROM creatives WHERE stored_at < toDateTime(toDate({before:UInt16}), 'UTC')
