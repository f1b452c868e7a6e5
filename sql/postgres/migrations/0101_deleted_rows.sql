-- Deleted terms, brands and tags with what was deleted with them, so that they can be brought back. Retention forgets them.
create table deleted_row (
    id bigint generated always as identity primary key,
    model text not null,
    row_id integer not null,
    -- Its columns.
    row jsonb not null check (jsonb_typeof(row) = 'object'),
    actor_id integer references user_account on delete set null,
    -- Whom an administrator worked as.
    acting_as_id integer,
    -- What the author's client called the deletion, and what it belonged to.
    operation uuid,
    at timestamptz not null,
    unique (model, row_id)
);
create index deleted_row_operation on deleted_row (actor_id, operation);
create index deleted_row_at on deleted_row (at);

-- Rows that pointed at a deleted one, in pieces.
create table deleted_with (
    deleted_row_id bigint not null references deleted_row on delete cascade,
    -- 1 where they pointed at the deleted row itself, 2 where at one of depth 1.
    depth integer not null,
    table_name text not null,
    -- Null: the rows were deleted, too, and are kept whole. Otherwise the column that lost its value; of the rows their key and this column are kept.
    pointing text,
    rows jsonb not null check (jsonb_typeof(rows) = 'array')
);
create index deleted_with_row on deleted_with (deleted_row_id);

-- Keeps what the database deletes with rows of a table, or cuts off from them. Each key is the id of such a row, and its owner the `deleted_row` that it
-- is kept for. Call it before the deletion.
create function keep_what_goes_with(gone regclass, owners bigint[], keys bigint[], at_depth integer) returns void language plpgsql as $$
declare
    rows_a_piece constant integer := 5000;
    -- Work that is planned anew, and sums that are made of slots.
    made_anew constant regclass[] := array['term_due', 'search_stats_request', 'match_run', 'ledger_day']::regclass[];
    link record;
    next_owners bigint[];
    next_keys bigint[];
begin
    for link in
        select c.conrelid::regclass as child, a.attname as pointing, c.confdeltype = 'n' as is_cut_off,
            array(
                select k.attname::text from pg_index x join pg_attribute k on k.attrelid = x.indrelid and k.attnum = any (x.indkey)
                where x.indrelid = c.conrelid and x.indisprimary
            ) || a.attname::text as kept_columns,
            exists (select from pg_constraint o where o.contype = 'f' and o.confrelid = c.conrelid and o.confdeltype in ('c', 'n')) as has_more
        from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
        where c.contype = 'f' and c.confrelid = gone and c.conparentid = 0 and c.confdeltype in ('c', 'n')
            and c.conrelid <> all (made_anew)
            -- Slots say which captures were those of a term.
            and not (gone = 'term'::regclass and c.conrelid = 'capture'::regclass)
        order by 1, 2
    loop
        execute format(
            'insert into deleted_with (deleted_row_id, depth, table_name, pointing, rows)
             select owner, $3, %1$L, %2$s, jsonb_agg(kept)
             from (
                 select gone.owner, %3$s as kept, (row_number() over (partition by gone.owner) - 1) / $4 as piece
                 from unnest($1, $2) gone (owner, key) join %1$s child on child.%4$I = gone.key
                 where %5$s
             ) pieces
             group by owner, piece',
            link.child,
            case when link.is_cut_off then quote_literal(link.pointing) else 'null' end,
            case when link.is_cut_off
                then '(select jsonb_object_agg(key, value) from jsonb_each(to_jsonb(child)) where key = any ($5))'
                else 'to_jsonb(child)' end,
            link.pointing,
            -- What is under way is not taken up again.
            case when link.child = 'slot'::regclass then 'child.settled_at is not null' else 'true' end)
        using owners, keys, at_depth, rows_a_piece, link.kept_columns;
        if link.has_more and not link.is_cut_off then
            execute format(
                'select array_agg(gone.owner), array_agg(child.id::bigint) from unnest($1, $2) gone (owner, key) join %s child on child.%I = gone.key',
                link.child, link.pointing)
            into next_owners, next_keys using owners, keys;
            if next_keys is not null then
                perform keep_what_goes_with(link.child, next_owners, next_keys, at_depth + 1);
            end if;
        end if;
    end loop;
end $$;

-- Stores kept rows of a table again that went with deleted rows, without those that lack a row they need or are there again. A reference that may be
-- missing is null where its row is missing.
create function put_back_what_went(deleted bigint[], at_depth integer, whole regclass) returns void language plpgsql as $$
declare
    names text;
    given text;
    needed text;
begin
    with kept as (
        select jsonb_object_keys(rows -> 0) as name
        from (
            select rows from deleted_with
            where deleted_row_id = any (deleted) and depth = at_depth and table_name = whole::text and pointing is null
            limit 1
        ) piece
    ), columns as (
        select a.attnum, a.attname, f.confdeltype, f.confrelid::regclass as other, o.attname as other_key
        from pg_attribute a
            join kept on kept.name = a.attname
            left join pg_constraint f on f.contype = 'f' and f.conparentid = 0 and f.conrelid = a.attrelid and f.conkey = array[a.attnum]
            left join pg_attribute o on o.attrelid = f.confrelid and o.attnum = f.confkey[1]
        where a.attrelid = whole and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    )
    select string_agg(quote_ident(attname), ', ' order by attnum),
        string_agg(case when confdeltype = 'n'
            then format('case when exists (select from %s o where o.%I = r.%I) then r.%3$I end', other, other_key, attname)
            else format('r.%I', attname) end, ', ' order by attnum),
        string_agg(format('(r.%3$I is null or exists (select from %1$s o where o.%2$I = r.%3$I))', other, other_key, attname), ' and ')
            filter (where confdeltype <> 'n')
    into names, given, needed
    from columns;
    execute format(
        'insert into %1$s (%2$s) overriding system value
         select %3$s from deleted_with w cross join lateral jsonb_populate_recordset(null::%1$s, w.rows) r
         where w.deleted_row_id = any ($1) and w.depth = $2 and w.table_name = %1$L and w.pointing is null and %4$s
         on conflict do nothing',
        whole, names, given, coalesce(needed, 'true'))
    using deleted, at_depth;
end $$;

-- Lets rows point at rows that are there again, where they point at nothing.
create function point_again(deleted bigint[], at_depth integer, whole regclass, pointing_column text) returns void language plpgsql as $$
declare
    link record;
begin
    select f.confrelid::regclass as other, o.attname as other_key, (
            select string_agg(format('c.%1$I = r.%1$I', k.attname), ' and ')
            from pg_index x join pg_attribute k on k.attrelid = x.indrelid and k.attnum = any (x.indkey)
            where x.indrelid = whole and x.indisprimary
        ) as same
    into link
    from pg_constraint f
        join pg_attribute a on a.attrelid = f.conrelid and f.conkey = array[a.attnum]
        join pg_attribute o on o.attrelid = f.confrelid and o.attnum = f.confkey[1]
    where f.contype = 'f' and f.conparentid = 0 and f.conrelid = whole and a.attname = pointing_column;
    if not found then
        return;
    end if;
    execute format(
        'update %1$s c set %2$I = r.%2$I
         from deleted_with w cross join lateral jsonb_populate_recordset(null::%1$s, w.rows) r
         where w.deleted_row_id = any ($1) and w.depth = $2 and w.table_name = %1$L and w.pointing = %2$L
             and %3$s and c.%2$I is null and exists (select from %4$s o where o.%5$I = r.%2$I)',
        whole, pointing_column, link.same, link.other, link.other_key)
    using deleted, at_depth;
end $$;

-- Brings deleted rows of one table back, with what went with them, and forgets that they were deleted. What was planned for a term is planned anew.
create function bring_back(whole regclass, deleted bigint[]) returns void language plpgsql as $$
declare
    ids constant integer[] := array(select row_id from deleted_row where id = any (deleted));
    names text;
    kept record;
    opened date;
begin
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) into names
    from pg_attribute a
    where a.attrelid = whole and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        and (select row ? a.attname from deleted_row where id = deleted[1]);
    -- A parent may come back with its child.
    execute format(
        'insert into %1$s (%2$s) overriding system value
         select %2$s from (
             select r.*
             from deleted_row d cross join lateral jsonb_populate_record(null::%1$s, d.row - ''parent_id'' || ''{"schedule_stale": true}'') r
             where d.id = any ($1) order by d.id
         ) deleted_rows',
        whole, names)
    using deleted;
    if whole = 'category'::regclass then
        update category c set parent_id = parent.id
        from deleted_row d join category parent on parent.id = (d.row ->> 'parent_id')::integer
        where d.id = any (deleted) and c.id = d.row_id;
    end if;
    for kept in
        select distinct depth, table_name, pointing, to_regclass(table_name) as name, pointing is not null as points
        from deleted_with where deleted_row_id = any (deleted) and to_regclass(table_name) is not null
        order by points, depth, table_name, pointing
    loop
        if kept.points then
            perform point_again(deleted, kept.depth, kept.name, kept.pointing);
        else
            perform put_back_what_went(deleted, kept.depth, kept.name);
        end if;
    end loop;
    if whole = 'term'::regclass then
        update capture c set slot_id = s.id, term_id = s.term_id
        from slot s
        where s.term_id = any (ids) and c.id = s.capture_id and c.slot_ts = s.slot_ts and c.slot_id is null;
        -- Their days are added up again.
        delete from ledger_total t using ledger_total_day d where t.day = d.day and t.term_id = any (ids);
        for opened in select distinct (slot_ts at time zone 'UTC')::date from slot where term_id = any (ids) order by 1 loop
            perform hold_ledger_day(opened);
            delete from ledger_day_seal where day = opened;
        end loop;
    elsif whole = 'brand'::regclass then
        delete from action_archive archived where brand_id = any (ids) and exists (select from action where action.id = archived.id);
    end if;
    delete from deleted_row where id = any (deleted);
end $$;
