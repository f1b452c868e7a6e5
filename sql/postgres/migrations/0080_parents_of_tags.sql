-- A tag stands under a tag that labels the same, and never under itself, however many are between.

create function refuse_unfit_parent() returns trigger language plpgsql as $$
begin
    if new.parent_id is not null then
        -- Two changes at once could make a ring of which each sees one half.
        perform pg_advisory_xact_lock(hashtext('category.parent_id'));
    end if;
    if exists (
        with recursive above as (
            select new.parent_id as id
            union
            select category.parent_id from category join above on category.id = above.id
        )
        select 1 from above where id = new.id
    ) or exists (
        select 1 from category other
        where (other.id = new.parent_id or other.parent_id = new.id) and other.scope is distinct from new.scope
    ) then
        raise exception 'tag % cannot stand under tag %', new.id, new.parent_id
            using errcode = 'check_violation', table = 'category', constraint = 'category_parent_id_check';
    end if;
    return new;
end $$;

create trigger category_parent before insert or update of parent_id, scope on category
    for each row execute function refuse_unfit_parent();
