select t.id, t.state, t.every, t.search_convert_rate, lower(coalesce(t.engine, 'GOOGLE')) as "engine!", l.locale as "locale?",
    coalesce(t.devices, '{}') as "devices!",
    (t.term is not null and btrim(t.term) <> '' and t.engine is not null and l.locale ~ '^[A-Za-z]{2,3}[_-][A-Za-z]{2}$') is true
        as "is_complete!",
    case jsonb_typeof(t.search_stats -> 'monthly') when 'number' then (t.search_stats ->> 'monthly')::double precision end
        as monthly_searches
from term t left join localization l on l.id = t.localization_id
where t.id = any($3) and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))
order by t.id
