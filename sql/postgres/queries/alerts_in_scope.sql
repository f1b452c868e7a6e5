select a.id, a.user_account_id as owner, a.brand_id, coalesce(nullif(b.label, ''), b.name, a.former_brand) as "brand?", a.off_reason, a.off_at, a.enable as "enable!", a.cron, a.frequency,
    a.start_date, a.next_send, a.last_send, a.from_address, a.from_name, a.subject, a.with_report, a.type = 'hook' as "is_hook!", a.hook_trigger,
    array(
        select u.id from user_account u
        where u.id::text in (
            select jsonb_array_elements_text(case jsonb_typeof(a.recipient_ids) when 'array' then a.recipient_ids else '[]' end)
        )
        order by u.id
    ) as "recipients!",
    (
        select t.id from email_template chosen join email_template t on t.first_version_id = chosen.first_version_id and t.is_active
        where chosen.id = a.template_id and chosen.type = 'alert' and (t.brand_id is null or t.brand_id = a.brand_id)
    ) as template
from alert a left join brand b on b.id = a.brand_id
where ($1::int[] is null or ((a.brand_id = any($1) or b.id is null) and a.user_account_id = $2)) and ($3::int is null or a.id = $3)
order by a.id desc limit $4
