select count(*) as "count!"
from term_due d join term t on t.id = d.term_id
where ($1 = '' or strpos(lower(t.term), lower($1)) > 0)
    and ($2::text is null or lower(t.engine) = $2)
    and (not $3::boolean or exists (
        select from slot s
        where s.term_id = d.term_id and s.device = d.device and s.state = 'failed' and s.slot_ts > now() - interval '7 days'
    ))
