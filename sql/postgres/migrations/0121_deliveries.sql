-- The invariants of what leaves to advertisers; each returns the rows that break it. `since`: deliveries settled and cases changed since then.

-- M1: no mail has its place in a case twice. What was cancelled or has failed has given its place up.
create function broken_delivery_once(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    select 'action ' || e.action_id, 'has ' || count(*) || ' deliveries of ' || e.kind || ' ' || coalesce(e.reminder_number, 0) || ' of cycle ' || e.cycle
        || ' to contact ' || d.contact_id
    from mail_delivery d join email e on e.id = d.email_id
    where e.kind in ('notification', 'reminder') and d.state not in ('cancelled', 'failed') and d.contact_id is not null
        and e.action_id in (select o.action_id from mail_delivery n join email o on o.id = n.email_id where n.created_at >= since)
    group by e.action_id, e.kind, e.cycle, e.reminder_number, d.contact_id having count(*) > 1
$$;

-- M2: whatever was sent or may have been passed the fence. M3: whatever waits has not.
create function broken_delivery_fence(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    select 'delivery ' || id, 'is ' || state || ' without its body'
    from mail_delivery where state in ('sent', 'unknown') and body_at is null and settled_at >= since
    union all
    select 'delivery ' || id, 'is ' || state || ', but its body left at ' || body_at
    from mail_delivery where state in ('queued', 'held') and body_at is not null
$$;

-- M6: a mail is what its deliveries come to, and of a case whose mails all have deliveries the count of mails sent is exact.
create function broken_delivery_fold(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    with changed as (
        select distinct d.email_id from mail_delivery d where d.settled_at >= since or d.settled_at is null
    ), folded as (
        select e.id, e.action_id, e.status, e.left_at,
            case
                when bool_or(d.state in ('queued', 'held', 'sending')) then 'queued'
                when bool_or(d.state = 'sent') then 'sent'
                when bool_or(d.state = 'unknown') then 'unknown'
                else 'failed'
            end as fold,
            bool_or(d.state in ('sent', 'unknown') or d.ruling is not null) as has_left
        from changed c join email e on e.id = c.email_id join mail_delivery d on d.email_id = e.id
        where e.status <> 'draft'
        group by e.id
    )
    select 'email ' || id, 'is ' || status || ', its deliveries come to ' || fold from folded where status is distinct from fold
    union all
    select 'email ' || id, 'has left at ' || coalesce(left_at::text, '?') || ', its deliveries say otherwise' from folded where (left_at is not null) <> has_left
    union all
    select 'action ' || a.id, 'counts ' || a.sended_count || ' mails sent, ' || m.sent || ' have left'
    from action a cross join lateral (
        select count(*) filter (where e.left_at is not null and e.status <> 'failed') as sent,
            bool_and(exists (select from mail_delivery d where d.email_id = e.id)) as is_whole
        from email e where e.action_id = a.id and e.direction = 'out' and e.status <> 'draft'
    ) m
    where a.updated_date >= since and m.is_whole and m.sent > 0 and a.sended_count <> m.sent
        and not exists (select from action_history h where h.action_id = a.id and h.outside_id is not null)
$$;

-- M8: nothing is sent to an address that was suppressed before. A dialogue that had begun may end.
create function broken_suppression(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    select 'delivery ' || d.id, 'left at ' || d.body_at || ', its address is suppressed since ' || s.at
    from mail_delivery d join suppression s on s.digest = sha256(convert_to(lower(d.address), 'UTF8'))
    where d.state in ('sent', 'unknown') and d.settled_at >= since and d.body_at > s.at + interval '1 hour'
$$;

-- M10: a case is in progress because a mail has left, or because somebody said that the advertiser was notified by other means.
create function broken_progress(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    select 'action ' || a.id, 'is in progress, but its notification has not left'
    from action a
    where a.updated_date >= since and a.status = 'inprogress' and not a.notified_manually
        and exists (select from email e where e.action_id = a.id and e.kind = 'notification' and e.cycle = a.cycle and e.status in ('queued', 'failed'))
        and not exists (select from email e where e.action_id = a.id and e.left_at is not null)
$$;
