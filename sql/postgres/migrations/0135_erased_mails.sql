-- When the texts of a mail were erased because they named somebody who asked for it (decision D216); the row stays for histories and counts.
alter table email add column erased_at timestamptz;
create index email_created on email (created_date);
create index inbound_mail_sender on inbound_mail (lower(envelope_from)) where envelope_from is not null;
create index inbound_mail_received on inbound_mail (received_at);

-- A regular expression for an address in lower case by itself, not as a part of a longer one.
create function address_pattern(address text) returns text language sql immutable as $$
    select '(?<![a-z0-9._%+-])' || regexp_replace(address, '([^a-z0-9])', '\\\1', 'g') || '(?![a-z0-9-]|\.[a-z0-9])'
$$;

-- Whether a text names an address, which is in lower case.
create function names_address(content text, address text) returns boolean language sql immutable as $$
    select position(address in lower(content)) > 0 and lower(content) ~ address_pattern(address)
$$;

-- The mails to or from an address in lower case, and those that name it.
create function mails_naming(named text) returns setof integer language sql stable as $$
    select email_id from mail_delivery where lower(address) = named
    union
    select r.email_id from email_recipient r join contact c on c.id = r.contact_id where lower(c.email) = named
    union
    select e.id from email e join inbound_mail i on i.id = e.inbound_id where lower(i.envelope_from) = named
    union
    select id from email where names_address(concat_ws(' ', subject, body, html, email::text), named)
$$;

-- The mails that came in from an address in lower case, and those that name it in the open.
create function inbound_mails_naming(named text) returns setof bigint language sql stable as $$
    select id from inbound_mail where lower(envelope_from) = named or named = any (envelope_to)
    union
    select id from inbound_mail where position(convert_to(named, 'UTF8') in raw) > 0 and names_address(encode(raw, 'escape'), named)
    union
    select inbound_id from email where id in (select mails_naming(named)) and inbound_id is not null
$$;
