with due as (
    select id from mail_outbox
    where kind = any($1)
        and ((state = 'queued' and not_before <= now()) or (state = 'sending' and leased_until <= now() and handed_at is null))
    order by not_before, id limit $2
    for update skip locked
)
update mail_outbox m set state = 'sending', tries = m.tries + 1, leased_until = now() + $3
from due where m.id = due.id
returning m.id, m.kind, m.user_id, m.recipients ->> 0 as "recipient!", m.language, m.message_id, m.leave_key, m.tries,
    now() - m.created_at as "age!", coalesce(m.context ->> 'subject', '') as "tried_subject!", coalesce(m.context ->> 'body', '') as "tried_body!",
    (m.context ->> 'alert')::int as alert, (m.context ->> 'from')::timestamptz as digest_from, (m.context ->> 'to')::timestamptz as digest_to
