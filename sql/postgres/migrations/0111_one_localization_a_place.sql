-- A place is one localization of its locale: lists of places show none twice, and no term is captured twice over two rows of one place. Rows that were
-- there twice before stay, since terms and captures refer to them; they count as known duplicates.

alter table localization add column is_known_duplicate boolean not null default false;

update localization set is_known_duplicate = true
from (
    select id, row_number() over (partition by locale, lower(city), lower(coalesce(region, '')) order by id) as place from localization
) numbered
where numbered.id = localization.id and place > 1 and locale is not null and city is not null;

create unique index localization_place_key on localization (locale, lower(city), lower(coalesce(region, '')))
    where locale is not null and city is not null and not is_known_duplicate;
