-- A mail as it came in is kept for a while after it was read; its case keeps what was read in it.
create index inbound_mail_source on inbound_mail (received_at) where octet_length(raw) > 0 and verdict in ('matched', 'report', 'complaint', 'own');
