-- A mail is claimed by the order in which they came, also where thousands came in one moment.
drop index inbound_mail_waiting;
create index inbound_mail_waiting on inbound_mail (received_at, id) where verdict is null;
-- Those that reading may have ended the process over.
create index inbound_mail_tried on inbound_mail (tries) where verdict is null and tries > 0;
