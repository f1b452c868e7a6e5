-- Counts a page without any result in the open spell of its term, and confirms the spell on the last of so many days. Readers before
-- version 4 took such pages for result pages, so of theirs only captures with results count.
insert into empty_spell as spell (term_id, device, engine, way, begun_at, last_at, had_results, said, days)
select $1, $2::text, $3, $4, $6, $6,
    exists (
        select from capture c
        where c.term_id = $1 and c.device = $2::text and c.doubt is distinct from 'no-results'
            and (c.text_ads + c.shopping_ads > 0 or c.organic_results > 0 or c.reader_version not in ('1', '2', '3'))
            and not exists (
                select from empty_spell e
                where e.term_id = c.term_id and e.device = c.device
                    and e.confirmed_at <= c.taken_at and (e.ended_at is null or e.ended_at > c.taken_at)
            )
    ),
    $5, case when $7::date is null then '{}'::date[] else array[$7::date] end
on conflict (term_id, device, way) where ended_at is null do update set
    captures = spell.captures + 1,
    last_at = greatest(spell.last_at, excluded.last_at),
    said = excluded.said,
    days = case when spell.confirmed_at is not null or spell.days @> excluded.days then spell.days else spell.days || excluded.days end,
    confirmed_at = coalesce(spell.confirmed_at, case
        when cardinality(case when spell.days @> excluded.days then spell.days else spell.days || excluded.days end) >= $8::int
        then excluded.last_at end)
returning had_results, confirmed_at is not null as "is_confirmed!"
