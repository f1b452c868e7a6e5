-- What grows with every capture lies in months: the table of a month is dropped as a whole when its time is over.

-- The column that decides in which month a row of a parent lies.
create function month_key(parent regclass) returns name language sql stable as $$
    select a.attname
    from pg_partitioned_table p join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
    where p.partrelid = parent
$$;

-- The months of a parent that have a table, the first first.
create function months_of(parent regclass) returns setof date language sql stable as $$
    select to_date(right(inhrelid::regclass::text, 7), 'YYYY_MM')
    from pg_inherits
    where inhparent = parent and inhrelid::regclass::text ~ '_\d{4}_\d{2}$'
    order by 1
$$;

-- Makes the table of a month.
create function make_month(parent regclass, month date) returns void language plpgsql as $$
declare
    made constant text := parent::text || to_char(month, '_YYYY_MM');
    -- The beginning of a day is an instant where the key is one.
    bound constant text := case (select atttypid::regtype from pg_attribute where attrelid = parent and attname = month_key(parent))
        when 'date'::regtype then '%s' else '%s 00:00:00+00' end;
    ends constant date := month + interval '1 month';
    refusal record;
begin
    execute format('create table %I partition of %s for values from (%L) to (%L)', made, parent, format(bound, month), format(bound, ends));
    -- Triggers of rows are inherited, those of statements are not.
    for refusal in
        select pg_get_triggerdef(oid) as definition from pg_trigger where tgrelid = parent and not tgisinternal and tgtype & 1 = 0
    loop
        execute regexp_replace(refusal.definition, ' ON \S+ ', format(' ON %I ', made));
    end loop;
end $$;

-- Makes the tables of this month and the next ones, of all parents or of one, and answers how many there are now that were not. Rows of other
-- months lie in the table `…_other`, so that none is ever refused; they get a table of their month here.
create function make_months(ahead integer default 2, only_of regclass default null) returns integer language plpgsql as $$
declare
    parent regclass;
    month date;
    has_others boolean;
    made integer := 0;
begin
    for parent in
        select partrelid::regclass from pg_partitioned_table
        where partrelid = coalesce(only_of, partrelid) and pg_table_is_visible(partrelid) and to_regclass(partrelid::regclass::text || '_other') is not null
        order by 1
    loop
        execute format('select exists (select from %I)', parent::text || '_other') into has_others;
        if has_others then
            execute format('alter table %s detach partition %I', parent, parent::text || '_other');
            execute format('alter table %I rename to %I', parent::text || '_other', parent::text || '_moved');
        end if;
        for month in
            select (date_trunc('month', now() at time zone 'UTC') + n * interval '1 month')::date from generate_series(0, ahead) n
            except select months_of(parent) order by 1
        loop
            perform make_month(parent, month);
            made := made + 1;
        end loop;
        if has_others then
            for month in execute format(
                'select distinct date_trunc(''month'', %I::timestamptz at time zone ''UTC'')::date from %I
                 except select months_of(%L::regclass) order by 1',
                month_key(parent), parent::text || '_moved', parent)
            loop
                perform make_month(parent, month);
                made := made + 1;
            end loop;
            perform make_other(parent);
            execute format('insert into %s overriding system value select * from %I', parent, parent::text || '_moved');
            execute format('drop table %I', parent::text || '_moved');
        end if;
    end loop;
    return made;
end $$;

-- Makes the table for rows of months that have none.
create function make_other(parent regclass) returns void language plpgsql as $$
begin
    execute format('create table %I partition of %s default', parent::text || '_other', parent);
end $$;

-- Months that were dropped: what stood in them is not missed.
create table month_dropped (
    parent text not null,
    month date not null check (extract(day from month) = 1),
    at timestamptz not null default now(),
    primary key (parent, month)
);

-- Drops the table of a month with all its rows.
create function drop_month(parent regclass, month date) returns void language plpgsql as $$
begin
    execute format('drop table %I', parent::text || to_char(month, '_YYYY_MM'));
    insert into month_dropped values (parent::text, month) on conflict on constraint month_dropped_pkey do update set at = now();
end $$;

-- Puts the rows of a table into months of a column, as they are. Indexes, checks, references to others and triggers stay; what is unique is so
-- within a month. References to the table have to be dropped before. Only migrations need it.
create function put_in_months(whole regclass, key name) returns void language plpgsql as $$
declare
    name constant text := whole::text;
    old constant text := name || '_whole';
    later text[];
    definition text;
    month date;
begin
    -- Indexes and constraints, as statements that make them again.
    select array_agg(statement order by place, statement) into later from (
        select 1, format('create index %I on %I %s', i.relname, name, substring(pg_get_indexdef(x.indexrelid) from ' (USING .*)$'))
        from pg_index x join pg_class i on i.oid = x.indexrelid
        where x.indrelid = whole and not x.indisunique
        union all
        select 2, format('alter table %I add constraint %I %s (%s)', name, c.conname,
            case c.contype when 'p' then 'primary key' else 'unique' end,
            (select string_agg(quote_ident(a.attname), ', ' order by k.place)
             from (select number, place from unnest(c.conkey) with ordinality k (number, place)
                   union all select a.attnum, 99 from pg_attribute a
                   where a.attrelid = whole and a.attname = key and a.attnum <> all (c.conkey)) k
                 join pg_attribute a on a.attrelid = whole and a.attnum = k.number))
        from pg_constraint c where c.conrelid = whole and c.contype in ('p', 'u')
        union all
        select 3, format('alter table %I add constraint %I %s', name, conname, pg_get_constraintdef(oid))
        from pg_constraint where conrelid = whole and contype = 'f'
        union all
        select 4, pg_get_triggerdef(oid) from pg_trigger where tgrelid = whole and not tgisinternal
    ) as definitions (place, statement);
    execute format('alter table %I rename to %I', name, old);
    for definition in select conname from pg_constraint where conrelid = whole and contype in ('p', 'u') loop
        execute format('alter table %I rename constraint %I to %I', old, definition, definition || '_whole');
    end loop;
    for definition in select i.relname from pg_index x join pg_class i on i.oid = x.indexrelid where x.indrelid = whole and not x.indisunique loop
        execute format('alter index %I rename to %I', definition, definition || '_whole');
    end loop;
    execute format('create table %I (like %I including defaults including constraints including identity) partition by range (%I)', name, old, key);
    perform make_other(name::regclass);
    for month in execute format(
        'select distinct date_trunc(''month'', %I::timestamptz at time zone ''UTC'')::date from %I order by 1', key, old)
    loop
        perform make_month(name::regclass, month);
    end loop;
    execute format('insert into %I overriding system value select * from %I', name, old);
    foreach definition in array later loop
        execute definition;
    end loop;
    for definition in select attname from pg_attribute where attrelid = whole and attidentity <> '' loop
        execute format('select setval(pg_get_serial_sequence(%L, %L), coalesce(max(%I), 0) + 1, false) from %I', name, definition, definition, name);
    end loop;
    execute format('drop table %I', old);
    perform make_months(2, name::regclass);
end $$;
