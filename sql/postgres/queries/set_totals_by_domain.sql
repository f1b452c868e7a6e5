-- A tag of a registrable domain counts the views of all hosts under it, and each host once. One that all readers see has no total: it would add up
-- the views of others than the reader.
with seen as (
    select * from unnest($1::int[], $2::text[], $3::text[], $4::float8[]) with ordinality as seen (brand_id, domain, master, views, n)
), named as (
    select n, domain as name from seen union select n, master from seen
), hit as (
    select distinct link.category_id, named.n
    from category_dealer link join dealer on dealer.id = link.dealer_id join named on named.name = dealer.domain
), counted as (
    select tag.id, coalesce(sum(seen.views), 0) as views
    from category tag
        left join (hit join seen on seen.n = hit.n)
            on hit.category_id = tag.id and tag.visibility is distinct from 'all'
                and (tag.brand_owner_id is null or seen.brand_id = tag.brand_owner_id)
    where tag.scope = 'tag'
    group by tag.id
)
update category set total_views = counted.views
from counted
where counted.id = category.id and total_views is distinct from counted.views
