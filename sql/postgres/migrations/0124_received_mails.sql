-- What comes in is read by one worker at a time, and what is known of it is listed without reading it once more.

alter table inbound_mail
    -- Until when a worker may take to read it, or after a failure until when it waits.
    add column leased_until timestamptz,
    add column sender text,
    add column sender_name text,
    add column subject text,
    -- The beginning of its text.
    add column preview text,
    -- The case that a person attached it to.
    add column attached_to integer references action on delete set null,
    add column attached_by integer references user_account on delete set null;
create index inbound_mail_attached_to on inbound_mail (attached_to) where attached_to is not null;
create index inbound_mail_attached_by on inbound_mail (attached_by) where attached_by is not null;
create index inbound_mail_unreadable on inbound_mail (received_at) where verdict = 'unreadable';

-- What the last delivery report said: 'hard' is dated by `bounced_at` too.
alter table mail_delivery
    add column report text check (report in ('hard', 'policy', 'soft', 'delivered')),
    add column report_at timestamptz,
    add column report_status text check (char_length(report_status) <= 20),
    add column report_text text check (char_length(report_text) <= 500),
    add check ((report is not null) = (report_at is not null));
create index mail_delivery_bounced on mail_delivery (lower(split_part(address, '@', 2)), bounced_at) where bounced_at is not null;

alter table attachment add column bytes bigint check (bytes >= 0);

create index email_message_id on email (message_id) where message_id is not null;

-- O6: the counters cover the mails that are stored; what a machine certainly wrote is not counted. Cases that were imported may count mails of which
-- nothing is stored.
create or replace function broken_mail_counts(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    select 'action ' || a.id, 'counts ' || a.received_count || ' received, ' || a.unread_count || ' unread, ' || a.sended_count
        || ' sent; stored are ' || e.received || ', ' || e.unread || ', ' || e.sent
    from action a cross join lateral (
        select count(*) filter (where status = 'received' and automatic <> 'certain') as received,
            count(*) filter (where status = 'received' and automatic <> 'certain' and not coalesce(open, false)) as unread,
            count(*) filter (where status in ('sent', 'unknown')) as sent,
            -- Of a case whose mails all came by way of Vigie the counters are exact.
            bool_and(inbound_id is not null or direction = 'out') as is_whole
        from email where action_id = a.id
    ) e
    where a.updated_date >= since
        and (a.received_count < e.received or a.unread_count < e.unread or a.sended_count < e.sent or a.unread_count > a.received_count
            or e.is_whole and e.received > 0 and a.unread_count > e.unread and a.received_count = e.received)
$$;

-- O7: nobody waits for an advertiser whose answer is newer than what we wrote last, or of whom a mail waits for a person to say whether it is one.
create or replace function broken_waiting(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    select 'action ' || a.id, 'waits, but the advertiser answered at ' || a.replied_at
    from action a
    where a.updated_date >= since and a.waiting and a.replied_at > coalesce(a.contacted_at, '-infinity')
    union all
    select 'action ' || a.id, 'waits, and is ' || a.status
    from action a
    where a.updated_date >= since and a.waiting and a.status in ('ignored', 'accepted', 'refused', 'disappeared')
    union all
    select 'action ' || a.id, 'waits, but mail ' || e.id || ' of ' || e.created_date || ' may be an answer'
    from action a join email e on e.action_id = a.id
    where a.updated_date >= since and a.waiting and e.status = 'received' and e.automatic <> 'certain' and e.inbound_id is not null
        and e.created_date > coalesce(greatest(a.contacted_at, a.clock_at), '-infinity')
$$;

-- O11: what came in is read soon.
create function broken_unread_inbound(since timestamptz, deadline interval) returns table (subject text, detail text) language sql stable as $$
    select 'inbound mail ' || id, 'came in at ' || received_at || ' and was not read; tries: ' || tries
    from inbound_mail
    where verdict is null and received_at >= since and received_at < now() - deadline
$$;

-- O12: a mail with a token in its envelope is in no case of another brand, unless a person put it there or it has a token of that case too.
create function broken_brand_of_token(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    select 'email ' || e.id, 'is in a case of brand ' || a.brand_id || ', its token is of brand ' || owner.brand_id
    from inbound_mail i
        join email e on e.inbound_id = i.id
        join action a on a.id = e.action_id
        cross join lateral unnest(i.envelope_to) as recipient (address)
        join mail_delivery d on lower(split_part(recipient.address, '@', 1)) in ('reply+' || d.reply_token, 'bounce+' || d.bounce_token)
        join email ours on ours.id = d.email_id
        join action owner on owner.id = ours.action_id
    where i.received_at >= since and i.attached_to is distinct from a.id and owner.brand_id is distinct from a.brand_id
        -- Tokens of two cases: the mail is in both.
        and not exists (
            select from unnest(i.envelope_to || array(select jsonb_array_elements_text(e.email -> 'to'))) as other (address)
                join mail_delivery od on lower(split_part(other.address, '@', 1)) in ('reply+' || od.reply_token, 'bounce+' || od.bounce_token)
                join email oe on oe.id = od.email_id
            where oe.action_id = a.id
        )
$$;
