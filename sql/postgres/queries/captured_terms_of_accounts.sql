-- The enabled and complete terms of company accounts $1, counted by all that their frequency depends on.
with of_account as (
    select l.company_account_id as account, t.id
    from brand_company_account l join term t on t.brand_id = l.brand_id
    where l.company_account_id = any($1)
    union
    select company_account_id, term_id from term_company_account where company_account_id = any($1)
), captured as (
    select a.account, t.id, coalesce(t.devices, '{}') as devices, t.every, t.search_convert_rate,
        case jsonb_typeof(t.search_stats -> 'monthly') when 'number' then (t.search_stats ->> 'monthly')::double precision end
            as monthly_searches
    from of_account a join term t on t.id = a.id join localization l on l.id = t.localization_id
    where t.state = 'enabled' and t.engine is not null and btrim(t.term) <> '' and l.locale ~ '^[A-Za-z]{2,3}[_-][A-Za-z]{2}$'
)
select account as "account!", min(id) as "term!", devices as "devices!", every, search_convert_rate, monthly_searches, count(*) as "terms!"
from captured
group by account, devices, every, search_convert_rate, monthly_searches
