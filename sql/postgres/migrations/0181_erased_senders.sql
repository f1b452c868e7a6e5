-- A mail that came in names whom it is from also when its source is gone.
create or replace function inbound_mails_naming(named text) returns setof bigint language sql stable as $$
    select id from inbound_mail where lower(envelope_from) = named or named = any (envelope_to) or lower(sender) = named
    union
    select id from inbound_mail where position(convert_to(named, 'UTF8') in raw) > 0 and names_address(encode(raw, 'escape'), named)
    union
    select id from inbound_mail where names_address(concat_ws(' ', sender_name, subject, preview, body, html), named)
    union
    select inbound_id from email where id in (select mails_naming(named)) and inbound_id is not null
$$;

-- A JSON value without an address.
create function without_address(content jsonb, address text) returns jsonb language sql immutable as $$
    select regexp_replace(content::text, address_pattern(address), '…', 'gi')::jsonb
$$;
