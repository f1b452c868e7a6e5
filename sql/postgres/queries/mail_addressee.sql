select u.id, u.email, u.first_name,
    coalesce(u.language, (
        -- The country whose results most of the company's terms are searched in.
        select case when l.locale like 'fr%' then 'fr' else 'en' end
        from brand_company_account bc
            join term t on t.brand_id = bc.brand_id
            join localization l on l.id = t.localization_id
        where bc.company_account_id = u.company_account_id
        group by 1 order by count(*) desc, 1 limit 1
    )) as language
from user_account u
where u.id = $1 or ($1 is null and lower(u.email) = lower($2))
order by (u.email = $2) desc, u.id limit 1
