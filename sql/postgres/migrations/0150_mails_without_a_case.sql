-- A mail whose case nobody knows is read by a person, who gives it to a case or puts it away.

alter table inbound_mail
    drop constraint inbound_mail_verdict_check,
    add constraint inbound_mail_verdict_check
        check (verdict in ('matched', 'unmatched', 'report', 'complaint', 'own', 'unreadable', 'discarded')),
    -- What an unmatched mail says; that of others is in their cases.
    add column body text,
    -- The same as its sender laid it out, sanitised.
    add column html text,
    add column discarded_by integer references user_account on delete set null;
create index inbound_mail_discarded_by on inbound_mail (discarded_by) where discarded_by is not null;
