-- The mails of cases: what staff and Vigie write to advertisers, and what comes back (decisions D170 to D181).

alter table email
    add column direction text not null default 'out' check (direction in ('out', 'in')),
    -- What a mail of ours is for; null for drafts that were made by the resource API and for mails received.
    add column kind text check (kind in ('notification', 'reminder', 'answer')),
    -- The cycle of the case that a reminder belongs to, and its number in it, from 1.
    add column cycle integer,
    add column reminder_number integer check (reminder_number >= 1),
    -- The version of the template that it was begun from.
    add column template_id integer,
    add column language text check (language in ('en', 'fr')),
    -- Who wrote it; null for Vigie and for advertisers.
    add column author_id integer references user_account on delete set null,
    -- Raised by every change of a draft, so that the older of two editors is noticed.
    add column draft_version integer not null default 0,
    -- What happens to the case once the mail has left ('send and accept').
    add column then_event text check (then_event in ('accept', 'refuse')),
    -- When its first delivery was sent or became unknown; the status of the case changed then, once.
    add column left_at timestamptz,
    -- Whether a machine wrote a received mail: an absence note, a receipt. 'maybe' waits for a person to say.
    add column automatic text not null default 'no' check (automatic in ('no', 'maybe', 'certain')),
    -- The sanitised HTML part of a received mail; `body` is its text.
    add column html text,
    add column read_by integer references user_account on delete set null,
    add column read_at timestamptz;
update email set direction = 'in' where status = 'received';
-- One draft of each author in a case.
create unique index email_draft on email (action_id, author_id) where status = 'draft' and author_id is not null;
-- A Message-ID says nothing about which mail it is: servers replace ours, and senders repeat theirs. What was received is told apart by its digest.
drop index email_received_key;

-- The Message-IDs under which a mail is known: ours, the one that a relay gave it, the sender's own.
create table email_alias (
    message_id text not null check (message_id <> '' and char_length(message_id) <= 998),
    email_id integer not null references email on delete cascade,
    source text not null check (source in ('ours', 'relay', 'sender')),
    primary key (message_id, email_id)
);
create index email_alias_email on email_alias (email_id);

-- One mail on its way to one recipient. Committing `body_at` before the first byte of the body is the fence: a delivery without it may be tried again,
-- one with it never is, and what became of it is 'unknown' unless the server said.
create table mail_delivery (
    id bigint generated always as identity primary key,
    email_id integer not null references email on delete cascade,
    contact_id integer references contact on delete set null,
    address text not null check (address <> '' and char_length(address) <= 254),
    -- What makes it unique: `{kind}:{action}:{cycle}:{reminder}:{contact}`, `answer:{email}:{contact}`.
    business_key text not null unique check (business_key <> ''),
    -- Secrets in the addresses that a reply and a delivery report come back to.
    reply_token text not null unique check (char_length(reply_token) = 26),
    bounce_token text not null unique check (char_length(bounce_token) = 26),
    state text not null default 'queued' check (state in ('queued', 'held', 'sending', 'sent', 'failed', 'unknown', 'cancelled')),
    -- Why it is held, failed, unknown or cancelled, as a code of ours.
    reason text,
    -- Which attempt it is, and until when that may take.
    claim uuid,
    leased_until timestamptz,
    body_at timestamptz,
    not_before timestamptz not null,
    created_at timestamptz not null,
    first_tried_at timestamptz,
    tries integer not null default 0 check (tries >= 0),
    settled_at timestamptz,
    smtp_code smallint,
    smtp_text text check (char_length(smtp_text) <= 500),
    -- What a person found out about an unknown one.
    ruling text check (ruling in ('arrived', 'lost')),
    ruled_by integer references user_account on delete set null,
    ruled_at timestamptz,
    -- When a delivery report said that it bounced, or a person complained.
    bounced_at timestamptz,
    complained_at timestamptz,
    check ((settled_at is not null) = (state in ('sent', 'failed', 'unknown', 'cancelled'))),
    check ((claim is not null) = (state = 'sending') and (leased_until is not null) = (state = 'sending'))
);
create index mail_delivery_due on mail_delivery (not_before) where state in ('queued', 'held');
create index mail_delivery_leased on mail_delivery (leased_until) where state = 'sending';
create index mail_delivery_email on mail_delivery (email_id);
create index mail_delivery_address on mail_delivery (lower(address), settled_at);
create index mail_delivery_contact on mail_delivery (contact_id) where contact_id is not null;
create index mail_delivery_unknown on mail_delivery (settled_at) where state = 'unknown' and ruling is null;

-- Mail as it came in, stored before it is read. The digest leaves out what servers on the way add, so that the same mail by webhook and by IMAP is one.
create table inbound_mail (
    id bigint generated always as identity primary key,
    digest bytea not null unique check (octet_length(digest) = 32),
    raw bytea not null,
    source text not null check (source in ('webhook', 'imap')),
    mailbox text,
    uid_validity bigint,
    uid bigint,
    envelope_to text[] not null default '{}',
    envelope_from text,
    received_at timestamptz not null,
    tries integer not null default 0 check (tries >= 0),
    -- What it was found to be; null while it waits to be read.
    verdict text check (verdict in ('matched', 'unmatched', 'report', 'complaint', 'own', 'unreadable')),
    verdict_at timestamptz,
    failure text check (char_length(failure) <= 500),
    check ((verdict is not null) = (verdict_at is not null))
);
create index inbound_mail_waiting on inbound_mail (received_at) where verdict is null;
create index inbound_mail_unmatched on inbound_mail (received_at) where verdict = 'unmatched';
-- A mail to two cases is a mail of each.
alter table email add column inbound_id bigint references inbound_mail on delete set null;
create unique index email_inbound on email (inbound_id, action_id) where inbound_id is not null;

-- How far a mailbox was read; moved in the transaction that stores the mail.
create table imap_cursor (
    mailbox text primary key,
    uid_validity bigint not null,
    last_uid bigint not null,
    read_at timestamptz not null
);

-- Addresses that are not written to any more, whatever becomes of their contacts. An erased address is known by its digest alone (decision D216).
create table suppression (
    digest bytea primary key check (octet_length(digest) = 32),
    address text check (address = lower(address)),
    reason text not null check (reason in ('hard_bounce', 'complaint', 'asked', 'manual')),
    at timestamptz not null,
    by_user integer references user_account on delete set null
);

-- Stops of all mails to advertisers, or of those of a brand, of a kind or to a domain; read when a delivery is claimed.
create table mail_stop (
    id integer generated always as identity primary key,
    scope text not null check (scope in ('all', 'brand', 'kind', 'domain')),
    -- The id of the brand, the kind or the domain; empty for all.
    subject text not null default '',
    reason text not null check (btrim(reason) <> '' and char_length(reason) <= 500),
    by_user integer references user_account on delete set null,
    at timestamptz not null,
    until timestamptz,
    lifted_at timestamptz,
    check ((scope = 'all') = (subject = ''))
);
create index mail_stop_active on mail_stop (scope, subject) where lifted_at is null;

-- Templates have brand and version; a version that was used never changes (decision D181).
alter table email_template
    drop constraint email_template_type_language_key,
    drop constraint email_template_type_check,
    add constraint email_template_type_check check (type in ('notification', 'reminder', 'answer', 'alert')),
    -- Its name in lists; answers have several.
    add column label text not null default '' check (char_length(label) <= 255),
    -- Null: for all brands.
    add column brand_id integer references brand on delete cascade,
    -- The reminder that it is for; null for any.
    add column reminder_number integer check (reminder_number >= 1),
    add column version integer not null default 1 check (version >= 1),
    -- The newest version that is not put away.
    add column is_active boolean not null default true,
    add column author_id integer references user_account on delete set null,
    add column created_at timestamptz not null default now(),
    add constraint email_template_version unique nulls not distinct (type, language, label, brand_id, reminder_number, version);
alter table email add constraint email_template_id foreign key (template_id) references email_template on delete restrict;

create index email_author on email (author_id) where author_id is not null;
create index email_read_by on email (read_by) where read_by is not null;
create index email_template_of on email (template_id) where template_id is not null;
create index mail_delivery_ruled_by on mail_delivery (ruled_by) where ruled_by is not null;
create index suppression_by on suppression (by_user) where by_user is not null;
create index mail_stop_by on mail_stop (by_user) where by_user is not null;
create index email_template_brand on email_template (brand_id) where brand_id is not null;
create index email_template_author on email_template (author_id) where author_id is not null;
