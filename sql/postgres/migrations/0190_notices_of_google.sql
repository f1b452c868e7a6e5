-- Mails about Google and Stop and Go: texts to be removed by hand, a first stop of a day, an access that was revoked, a version that ends.
alter table mail_outbox
    drop constraint mail_outbox_kind_check,
    add constraint mail_outbox_kind_check
        check (kind in ('notification', 'reminder', 'answer', 'alert', 'reset', 'verify', 'account', 'password', 'trial',
            'stranded', 'stopped', 'revoked', 'version'));
