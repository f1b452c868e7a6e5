-- How many cases there are by brand, country, engine, status, who has to answer, unread mails and types of keywords, kept with each change: a list is
-- counted without reading a case.

-- Each case that has terms is written, which takes longer than a statement may where they are a million.
set local statement_timeout = 0;
-- Nobody else writes them meanwhile.
lock table term, action, action_term in share row exclusive mode;

-- The types of the terms a case was seen on, each once, in order.
alter table action add column keyword_types text[] not null default '{}';

drop trigger action_updated on action;

update action a set keyword_types = s.types
from (
    select s.action_id, array_agg(distinct t.keyword_type order by t.keyword_type) as types
    from action_term s join term t on t.id = s.term_id
    where t.keyword_type is not null
    group by s.action_id
) s
where a.id = s.action_id;

-- As it was, but change streams leave the new column out: no page shows it. `find_keyword_types` changes no other, so what it does is not announced.
create trigger action_updated after update on action referencing old table as before_change new table as after_change
    for each statement when (current_setting('vigie.finds_keyword_types', true) is distinct from 'on')
    execute function tell_changes(
        'cycle', 'cycle_reminders', 'cycle_forced', 'notified_manually', 'last_capture_at', 'last_term_id', 'languages', 'seen_until', 'text_days',
        'shopping_days', 'views', 'ads', 'keyword_types'
    );

-- The rows of one kind of cases add up to their number. Each statement adds rows for what it changes, so that no transaction waits for another.
create table case_count (
    id bigint generated always as identity primary key,
    brand_id integer,
    country text,
    engine text,
    status action_status not null,
    waiting boolean not null,
    unread boolean not null,
    keyword_types text[] not null,
    cases bigint not null check (cases <> 0)
);

-- How many rows were added for changes; those that they are added up to are not among them.
create sequence case_count_change;

create function fold_case_counts() returns void language sql as $$
    with taken as materialized (
        -- Rows that another transaction folds, or has not committed, are left to the next time.
        select id from case_count for update skip locked
    ), gone as (
        delete from case_count using taken where case_count.id = taken.id
        returning brand_id, country, engine, status, waiting, unread, keyword_types, cases
    )
    insert into case_count (brand_id, country, engine, status, waiting, unread, keyword_types, cases)
    select brand_id, country, engine, status, waiting, unread, keyword_types, sum(cases)
    from gone
    group by brand_id, country, engine, status, waiting, unread, keyword_types
    having sum(cases) <> 0
$$;

create function count_cases() returns trigger language plpgsql as $$
declare
    -- So many rows are added up in 3 ms.
    most_changes constant bigint := 10000;
    is_due boolean;
begin
    if tg_op = 'INSERT' then
        with written as (
            insert into case_count (brand_id, country, engine, status, waiting, unread, keyword_types, cases)
            select brand_id, country, engine, status, coalesce(waiting, false), coalesce(unread_count, 0) > 0, keyword_types, count(*)
            from after_change
            group by 1, 2, 3, 4, 5, 6, 7
            returning id
        )
        select bool_or(nextval('case_count_change') % most_changes = 0) into is_due from written;
    elsif tg_op = 'DELETE' then
        with written as (
            insert into case_count (brand_id, country, engine, status, waiting, unread, keyword_types, cases)
            select brand_id, country, engine, status, coalesce(waiting, false), coalesce(unread_count, 0) > 0, keyword_types, -count(*)
            from before_change
            group by 1, 2, 3, 4, 5, 6, 7
            returning id
        )
        select bool_or(nextval('case_count_change') % most_changes = 0) into is_due from written;
    else
        with written as (
            insert into case_count (brand_id, country, engine, status, waiting, unread, keyword_types, cases)
            select brand_id, country, engine, status, waiting, unread, keyword_types, sum(change)
            from (
                select brand_id, country, engine, status, coalesce(waiting, false) as waiting, coalesce(unread_count, 0) > 0 as unread, keyword_types, 1 as change
                from after_change
                union all
                select brand_id, country, engine, status, coalesce(waiting, false), coalesce(unread_count, 0) > 0, keyword_types, -1
                from before_change
            ) changes
            group by 1, 2, 3, 4, 5, 6, 7
            having sum(change) <> 0
            returning id
        )
        select bool_or(nextval('case_count_change') % most_changes = 0) into is_due from written;
    end if;
    if is_due then
        perform fold_case_counts();
    end if;
    return null;
end $$;

create trigger action_created_counted after insert on action referencing new table as after_change
    for each statement execute function count_cases();
create trigger action_updated_counted after update on action referencing old table as before_change new table as after_change
    for each statement execute function count_cases();
create trigger action_removed_counted after delete on action referencing old table as before_change
    for each statement execute function count_cases();

-- Counts all cases, for those that were written without triggers.
create function count_all_cases() returns void language plpgsql as $$
begin
    lock table action in share row exclusive mode;
    delete from case_count;
    insert into case_count (brand_id, country, engine, status, waiting, unread, keyword_types, cases)
    select brand_id, country, engine, status, coalesce(waiting, false), coalesce(unread_count, 0) > 0, keyword_types, count(*)
    from action
    group by 1, 2, 3, 4, 5, 6, 7;
end $$;

select count_all_cases();

-- In the order in which detection locks them.
create function lock_cases(of integer[]) returns void language plpgsql as $$
begin
    perform from action where id = any(of) order by brand_id, country, engine, domain for update;
end $$;

-- Reads what the terms of the cases are under the locks of the cases, so that of two changes the later one sees both.
create function find_keyword_types(of integer[]) returns void language plpgsql as $$
begin
    if of = '{}' then
        return;
    end if;
    perform lock_cases(of);
    perform set_config('vigie.finds_keyword_types', 'on', true);
    update action a set keyword_types = s.types
    from (
        select c.id, coalesce(array_agg(distinct t.keyword_type order by t.keyword_type) filter (where t.keyword_type is not null), '{}') as types
        from unnest(of) c (id) left join action_term s on s.action_id = c.id left join term t on t.id = s.term_id
        group by c.id
    ) s
    where a.id = s.id and a.keyword_types <> s.types;
    perform set_config('vigie.finds_keyword_types', 'off', true);
end $$;

-- The foreign key has locked the term before this runs, so its type does not change until the case has it.
create function add_keyword_types() returns trigger language plpgsql as $$
begin
    perform find_keyword_types(array(
        select distinct n.action_id
        from after_change n join term t on t.id = n.term_id join action a on a.id = n.action_id
        where t.keyword_type <> all(a.keyword_types)
    ));
    return null;
end $$;
create trigger action_term_created after insert on action_term referencing new table as after_change
    for each statement execute function add_keyword_types();

create function take_keyword_types() returns trigger language plpgsql as $$
begin
    perform find_keyword_types(array(select distinct action_id from before_change));
    return null;
end $$;
create trigger action_term_removed after delete on action_term referencing old table as before_change
    for each statement execute function take_keyword_types();

-- Waits for detections that note the term for new cases, so that their rows are seen afterwards; later ones wait for the new type. The cases are locked
-- first, since detection holds its cases when it notes terms.
create function hold_cases_of_term() returns trigger language plpgsql as $$
begin
    perform lock_cases(array(select action_id from action_term where term_id = old.id));
    perform from term where id = old.id for update;
    return new;
end $$;
create trigger term_type_held before update of keyword_type on term for each row
    when (old.keyword_type is distinct from new.keyword_type) execute function hold_cases_of_term();

create function change_keyword_types() returns trigger language plpgsql as $$
begin
    perform find_keyword_types(array(
        select distinct s.action_id
        from before_change b join after_change c using (id) join action_term s on s.term_id = c.id
        where b.keyword_type is distinct from c.keyword_type
    ));
    return null;
end $$;
create trigger term_type_changed after update on term referencing old table as before_change new table as after_change
    for each statement execute function change_keyword_types();

-- O15: the counts are those of the cases.
create function broken_case_counts() returns table (subject text, detail text) language sql stable as $$
    select concat_ws(' ', 'brand', coalesce(brand_id::text, 'none') || ',', status, country, engine),
        format('%s cases are counted, %s are there', sum(counted), sum(there))
    from (
        select brand_id, country, engine, status, waiting, unread, keyword_types, cases as counted, 0 as there from case_count
        union all
        select brand_id, country, engine, status, coalesce(waiting, false), coalesce(unread_count, 0) > 0, keyword_types, 0, count(*)
        from action
        group by 1, 2, 3, 4, 5, 6, 7
    ) both_counts
    group by brand_id, country, engine, status, waiting, unread, keyword_types
    having sum(counted) <> sum(there)
$$;

-- O16: a case has the types of its terms.
create function broken_keyword_types() returns table (subject text, detail text) language sql stable as $$
    select 'action ' || a.id, format('has the types %s, its terms have %s', a.keyword_types, coalesce(s.types, '{}'))
    from action a left join (
        select s.action_id, array_agg(distinct t.keyword_type order by t.keyword_type) as types
        from action_term s join term t on t.id = s.term_id
        where t.keyword_type is not null
        group by s.action_id
    ) s on s.action_id = a.id
    where a.keyword_types <> coalesce(s.types, '{}')
$$;
