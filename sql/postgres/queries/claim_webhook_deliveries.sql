with chosen as (
    select d.id
    from webhook w
        cross join lateral (
            select o.id, o.due_at from webhook_delivery o
            where o.webhook_id = w.id and o.due_at <= $1 and (o.leased_until is null or o.leased_until <= $1)
            order by o.due_at, o.id
            limit greatest(0, $3 - (select count(*) from webhook_delivery l where l.webhook_id = w.id and l.leased_until > $1))
            for update skip locked
        ) d
    where w.stopped_at is null
    order by d.due_at, d.id limit $4
), claimed as (
    update webhook_delivery d set tries = d.tries + 1, leased_until = $1::timestamptz + $2::interval
    from chosen c where d.id = c.id
    returning d.*
)
select d.id, d.webhook_id, d.message, d.event, d.at, d.body, d.tries, d.action_id, d.status, w.user_id, w.url, w.secret,
    case when w.earlier_until > $1 then w.earlier_secret end as earlier_secret, a.brand_id as "brand_id?", coalesce(b.label, b.name) as brand,
    a.domain as "domain?", a.country, a.engine, capture_of_event(d.action_id, d.at) as capture_id,
    (d.action_id is null or sees_brand(w.user_id, a.brand_id)) as "is_seen!"
from claimed d
    join webhook w on w.id = d.webhook_id
    left join action a on a.id = d.action_id
    left join brand b on b.id = a.brand_id
order by d.due_at, d.id
