-- An alert that Vigie switched off says why, and which brand it was about, until its owner changes it.
alter table alert
    add column off_reason text check (off_reason in ('brand_deleted', 'schedule')),
    add column off_at timestamptz,
    add column former_brand text;

create function end_alerts_of_brand() returns trigger language plpgsql as $$
begin
    update alert set former_brand = coalesce(nullif(old.label, ''), old.name),
        off_reason = case when enable then 'brand_deleted' else off_reason end, off_at = case when enable then now() else off_at end, enable = false
    where brand_id = old.id;
    return old;
end $$;
create trigger brand_alerts_ended before delete on brand for each row execute function end_alerts_of_brand();

-- Alerts of brands that were deleted before.
update alert set off_reason = case when enable then 'brand_deleted' end, off_at = case when enable then now() end, enable = false
where brand_id is not null and not exists (select from brand b where b.id = alert.brand_id);
