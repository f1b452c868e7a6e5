with seen as (
    select * from unnest($1::int[], $2::text[], $3::float8[]) as seen (brand_id, domain, views)
), counted as (
    select tag.id, coalesce(sum(seen.views), 0) as views
    from category tag
        left join ((select distinct category_id, dealer_id from category_dealer) link
            join dealer on dealer.id = link.dealer_id join seen on seen.domain = dealer.domain)
            on link.category_id = tag.id and (tag.brand_owner_id is null or seen.brand_id = tag.brand_owner_id)
    where tag.scope = 'tag'
    group by tag.id
)
update category set total_views = counted.views
from counted
where counted.id = category.id and total_views is distinct from counted.views
