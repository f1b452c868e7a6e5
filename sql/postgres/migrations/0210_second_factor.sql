-- The second factor of accounts: a secret that an app makes codes of, and codes to keep on paper for the day the app is lost.
create table second_factor (
    user_id integer primary key references user_account on delete cascade,
    -- Sealed with the key of the application.
    secret text not null,
    created_at timestamptz not null,
    -- When a first code proved that the app has the secret. Until then nobody is asked for a code.
    confirmed_at timestamptz,
    -- The last half minute whose code was used: no code opens anything twice.
    last_step bigint
);

create table recovery_code (
    user_id integer not null references second_factor on delete cascade,
    sha256 bytea not null check (octet_length(sha256) = 32),
    primary key (user_id, sha256)
);

alter table mail_outbox
    drop constraint mail_outbox_kind_check,
    add constraint mail_outbox_kind_check
        check (kind in ('notification', 'reminder', 'answer', 'alert', 'reset', 'verify', 'account', 'password', 'trial',
            'stranded', 'stopped', 'revoked', 'version', 'secondfactor'));
