//! The brands, company accounts and terms that are steered.

use std::time::Instant;

use vigie::terminal::say;
use vocabulary::CompanyAccountId;

use crate::bench::BenchError;
use crate::bench::peers::Psql;
use crate::bench::world::{Reader, ids, member};

pub(super) const TERMS: u32 = 100_000;
/// Terms with the words of no brand.
pub(super) const TERMS_OF_NO_BRAND: u64 = 10_000;

/// Words of which two make the name of a brand: 25 times 20 are 500.
const BRANDS: &str = r"
    insert into brand (name, label, validated, create_notification, auto_match_reg_exp, auto_match_exclude_reg_exp)
    select 'bench-' || word, initcap(word), true, true, '\b' || word || '(s|shop)?\b', case when n % 4 = 0 then word || ' museum' end
    from (
        select n, (string_to_array('bal cor dav fen gal hes jor kal lum mar nev orb pas ros sal tor ulm vel wes xan yor zel bri cla dre', ' '))[1 + n % 25]
            || (string_to_array('ado bri cent dale elo fort gano hurst ivo jara kona lund mere nova oster pell quin rona stel tora', ' '))[1 + n / 25] as word
        from generate_series(0, 499) n
    ) words";
/// Its pattern matches every term; all others have a better claim on the words of their brand.
const WIDE_BRAND: &str =
    "insert into brand (name, label, validated, auto_match_reg_exp) values ('wide', 'Wide', true, '[a-z]{2}')";
const COMPANIES: &str =
    "insert into company_account (name, label) select 'bench-' || n, 'Company ' || n from generate_series(1, 50) n";
/// Ten brands of each company account, and of every fifth another one sees it, too.
const COMPANY_BRANDS: &str = "
    insert into brand_company_account (company_account_id, brand_id)
    select c.id, b.id
    from (select id, row_number() over (order by id) as place from brand where name like 'bench-%') b
    join (select id, row_number() over (order by id) as place from company_account where name like 'bench-%') c
        on c.place = 1 + b.place % 50 or (b.place % 5 = 0 and c.place = 1 + (b.place + 7) % 50)";
const TAGS: &str = "insert into category (label, name, scope, visibility) select 'Tag ' || n, 'bench-' || n, 'term', 'all' from generate_series(1, 40) n";
/// Six of ten terms are enabled, three disabled, one archived. A month is so long that none of them is due meanwhile.
const TERM_ROWS: &str = "
    insert into term (term, keyword_type, devices, every, engine, state, region, localization_id, brand_id, options, search_convert_rate,
        created_date, updated_date, schedule_stale)
    select case when n % 10 <> 0 then b.word || ' ' else '' end
            || (string_to_array('running shoes,winter boots,red dress,leather bag,sun hat,wool coat,silk scarf,hiking socks,rain jacket,tennis racket,desk lamp', ','))[1 + n % 11]
            || ' ' || n,
        case when n % 10 = 6 then 'MULTIBRAND' else (string_to_array('GENERIC,BRAND,GENERIC_BRAND', ','))[1 + n % 3] end,
        case when n % 2 = 0 then '{DESKTOP}' else '{DESKTOP,MOBILE}' end::text[],
        2635200000, case when n % 5 = 2 then 'BING' else 'GOOGLE' end,
        case when n % 10 < 6 then 'enabled' when n % 10 < 9 then 'disabled' else 'archived' end,
        case n % 10 when 1 then 'North' when 2 then 'South' when 7 then 'East' end,
        l.id, case when n % 10 <> 0 then b.id end, jsonb_build_object('saveShoppingAds', n % 3 = 0), 0.05,
        now() - n * interval '1 minute', now() - n * interval '1 minute', false
    from generate_series(1, 100000) n
    join (select id, substr(name, 7) as word, row_number() over (order by id) - 1 as place from brand where name like 'bench-%') b on b.place = n / 10 % 500
    join (select id, row_number() over (order by id) - 1 as place, count(*) over () as places from localization) l on l.place = n % l.places
    order by n";
const TERM_TAGS: &str = "
    insert into term_category (term_id, category_id)
    select t.id, c.id from term t
    join (select id, row_number() over (order by id) - 1 as place from category where name like 'bench-%') c on c.place in (t.id % 40, t.id % 7)
    where t.id % 3 = 0";
const TERM_COMPANIES: &str = "
    insert into term_company_account (term_id, company_account_id)
    select t.id, c.id from term t
    join (select id, row_number() over (order by id) - 1 as place from company_account where name like 'bench-%') c on c.place = t.id / 40 % 50
    where t.id % 40 = 0";
/// The grids of the enabled terms, as a pass would have left them days ago.
const GRIDS: &str = "
    insert into term_due (term_id, device, every_ms, first_slot, next_slot)
    select t.id, lower(d)::device, t.every, next, next
    from term t cross join lateral unnest(t.devices) d
        cross join lateral (select now() + interval '2 days' + t.id % 20000 * interval '1 minute' as next) as later
    where t.state = 'enabled'";

/// What the stack was filled with.
pub(super) struct World {
    /// A user of a company account, who sees its terms alone.
    pub(super) member: Reader,
    pub(super) companies: Vec<i64>,
    /// Brands, the first ones of the member's company account.
    pub(super) brands: Vec<i64>,
    /// The brand that would get the terms of no other.
    pub(super) wide: i64,
    pub(super) tags: Vec<i64>,
    pub(super) localizations: Vec<i64>,
}

/// Creates [`TERMS`] terms of 500 brands, and 50 company accounts, one of them with a user. Fails on a second call.
pub(super) async fn fill(psql: &Psql, postgres: &str) -> Result<World, BenchError> {
    let began = Instant::now();
    psql.run(&[
        BRANDS,
        WIDE_BRAND,
        COMPANIES,
        COMPANY_BRANDS,
        TAGS,
        TERM_ROWS,
        TERM_TAGS,
        TERM_COMPANIES,
        GRIDS,
        "vacuum analyze",
    ])
    .await?;
    let companies = ids(
        psql,
        "select id from company_account where name like 'bench-%' order by id",
    )
    .await?;
    let company = companies.first().copied().unwrap_or_default();
    let brands = "select b.id from brand b left join brand_company_account l on l.brand_id = b.id
        and l.company_account_id = (select min(id) from company_account where name like 'bench-%')
        where b.name like 'bench-%' order by l.id is null, b.id";
    let world = World {
        member: member(postgres, CompanyAccountId(i32::try_from(company).unwrap_or_default())).await?,
        companies,
        brands: ids(psql, brands).await?,
        wide: ids(psql, "select id from brand where name = 'wide'").await?[0],
        tags: ids(psql, "select id from category where name like 'bench-%' order by id").await?,
        localizations: ids(psql, "select id from localization order by id").await?,
    };
    say(format!(
        "\n{TERMS} terms of {} brands made in {:.0} s",
        world.brands.len(),
        began.elapsed().as_secs_f64()
    ));
    Ok(world)
}
