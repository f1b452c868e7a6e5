-- A tag that all readers see has no total: it would add up the views of others than the reader.
with seen as (
    select * from unnest($1::int[], $2::int[], $3::float8[]) as seen (brand_id, term_id, views)
), brands as (
    update brand set total_views = counted.views
    from (
        select id, coalesce((select sum(views) from seen where brand_id = brand.id), 0) as views from brand
    ) counted
    where counted.id = brand.id and total_views is distinct from counted.views
    returning brand.id
), companies as (
    update company_account set total_views = counted.views
    from (
        select id, coalesce((
            select sum(views) from seen
            where brand_id in (select brand_id from brand_company_account where company_account_id = company.id)
                or term_id in (select term_id from term_company_account where company_account_id = company.id)
        ), 0) as views
        from company_account company
    ) counted
    where counted.id = company_account.id and total_views is distinct from counted.views
    returning company_account.id
), tags as (
    update category set total_views = counted.views
    from (
        select id, coalesce((
            select sum(views) from seen
            where tag.visibility is distinct from 'all'
                and term_id in (select term_id from term_category where category_id = tag.id)
                and (tag.brand_owner_id is null or brand_id = tag.brand_owner_id)
        ), 0) as views
        from category tag where scope = 'term'
    ) counted
    where counted.id = category.id and total_views is distinct from counted.views
    returning category.id
)
select (select count(*) from brands) + (select count(*) from companies) + (select count(*) from tags) as "changed!"
