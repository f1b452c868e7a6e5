-- The digest of an alert is left by a key of its own: the Message-ID stands in every answer to it.
alter table mail_outbox add column leave_key uuid not null default gen_random_uuid();
create index mail_outbox_leave_key on mail_outbox (leave_key) where kind = 'alert';
