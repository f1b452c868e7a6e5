-- A case is of a brand. What was done in the cases of a deleted brand is kept here, as it stood; the cases themselves go with it.
create table action_archive (
    id integer primary key,
    brand_id integer,
    brand text,
    action jsonb not null,
    history jsonb not null,
    notes jsonb not null,
    -- The mails themselves stay in `email`.
    email_ids integer[] not null,
    archived_at timestamptz not null default now()
);
create index action_archive_brand on action_archive (brand_id);

create function archive_actions(of integer[], brand_label text) returns void language sql as $$
    insert into action_archive (id, brand_id, brand, action, history, notes, email_ids)
    select a.id, a.brand_id, brand_label, to_jsonb(a),
        coalesce((select jsonb_agg(to_jsonb(h) order by h.at, h.id) from action_history h where h.action_id = a.id), '[]'),
        coalesce((select jsonb_agg(to_jsonb(n) order by n.id) from note n where n.action_id = a.id), '[]'),
        array(select e.id from email e where e.action_id = a.id order by e.id)
    from action a where a.id = any(of)
    on conflict (id) do nothing;
    delete from action where id = any(of);
$$;

create function archive_actions_of_brand() returns trigger language plpgsql as $$
begin
    perform archive_actions(array(select id from action where brand_id = old.id), coalesce(old.label, old.name));
    return old;
end $$;
create trigger brand_actions_archived before delete on brand for each row execute function archive_actions_of_brand();

-- Cases that lost their brand before. One that was entered through the API without a brand was never seen.
select archive_actions(array(
    select id from action
    where brand_id is null
        and (last_capture_at is not null or views > 0 or exists (select from action_term where action_id = action.id))
), null);

alter table action
    drop constraint action_brand_id_fkey,
    add constraint action_brand_id_fkey foreign key (brand_id) references brand on delete cascade;
