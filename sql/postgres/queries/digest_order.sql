select a.id, a.type = 'hook' as "is_hook!", b.id as brand_id, coalesce(nullif(b.label, ''), b.name, '') as "brand!", a.subject, a.from_name, a.with_report,
    (select given.email from user_account given
     where lower(given.email) = lower(a.from_address) and given.company_account_id = o.company_account_id
     order by given.id limit 1) as reply_to,
    t.language as "text_language?", t.subject as "text_subject?", t.body as "text_body?"
from alert a
    join brand b on b.id = a.brand_id
    join user_account u on u.id = $2
    left join user_account o on o.id = a.user_account_id
    left join email_template chosen on chosen.id = a.template_id and chosen.type = 'alert'
    left join email_template t on t.first_version_id = chosen.first_version_id and t.is_active and (t.brand_id is null or t.brand_id = a.brand_id)
where a.id = $1 and a.enable and u.id::text in (
        select jsonb_array_elements_text(case jsonb_typeof(a.recipient_ids) when 'array' then a.recipient_ids else '[]' end)
    )
    and (o.company_account_id is null or u.company_account_id = o.company_account_id)
