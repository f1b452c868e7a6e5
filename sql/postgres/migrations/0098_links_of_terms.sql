-- Links of terms to tags are announced: {"table": "term", "kind": "links", "was": [{…, "term_category": [[tag, company account or null], …]}, …]}, the
-- columns of each term and the links that it had before. A term that is made in the same transaction is announced by itself.
create function announce_tags_of_terms() returns trigger language plpgsql as $$
declare
    -- Half of what one notification holds.
    most_bytes constant integer := 3500;
    former jsonb;
begin
    if tg_op = 'INSERT' then
        select jsonb_object_agg(term_id, links) into former
        from (
            select changed.term_id,
                coalesce(jsonb_agg(jsonb_build_array(link.category_id, link.company_account_id)) filter (where link.id is not null), '[]') as links
            from (select distinct term_id from after_change) changed
                left join term_category link on link.term_id = changed.term_id and link.id not in (select id from after_change)
            group by changed.term_id
        ) of_terms;
    else
        select jsonb_object_agg(term_id, links) into former
        from (
            select link.term_id, jsonb_agg(jsonb_build_array(link.category_id, link.company_account_id)) as links
            from (
                select term_id, category_id, company_account_id from before_change
                union all
                select term_id, category_id, company_account_id from term_category where term_id in (select term_id from before_change)
            ) link
            group by link.term_id
        ) of_terms;
    end if;
    perform pg_notify('resource_changes', jsonb_build_object('table', 'term', 'kind', 'links', 'was', jsonb_agg(was))::text)
    from (
        select was, sum(octet_length(was::text)) over (order by id) / most_bytes as piece
        from (
            select linked.id, told_row(to_jsonb(linked) - 'schedule_stale' || jsonb_build_object('term_category', of_term.value), most_bytes) as was
            from jsonb_each(former) of_term join term as linked on linked.id = of_term.key::integer
            where linked.xmin <> pg_current_xact_id()::xid
        ) changed
    ) pieces
    group by piece;
    return null;
end $$;

create trigger term_category_created after insert on term_category referencing new table as after_change
    for each statement execute function announce_tags_of_terms();
create trigger term_category_removed after delete on term_category referencing old table as before_change
    for each statement execute function announce_tags_of_terms();
