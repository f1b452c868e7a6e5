-- When ads of a kind were seen last, so that a list asks for them over the time it is about and not over the last 30 days alone. Nothing of an
-- action is younger than its last view: what was seen of a kind since an instant has its last time after it.

alter table action
    add column last_text timestamptz,
    add column last_shopping timestamptz;

-- To the end of the day, as far as the last 30 days tell; the nightly count of views fills in the others.
create function newest_day(until date, days integer, last timestamptz) returns timestamptz language sql immutable as $$
    select case when days > 0 then
        least(last, (until - log(2, days & -days)::integer + 1)::timestamp at time zone 'UTC' - interval '1 second')
    end
$$;
update action set last_text = newest_day(seen_until, text_days, last_view),
    last_shopping = newest_day(seen_until, shopping_days, last_view)
where text_days + shopping_days > 0;
drop function newest_day;

create index action_without_kind on action (brand_id) where last_text is null and last_shopping is null;
