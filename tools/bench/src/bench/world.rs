//! The rows that questions are about.

use analytics::sample::{self, Sample, SampleTerm};
use chrono::{DateTime, Utc};
use postgres::categories::{self, CategoryKind, NewCategory};
use vocabulary::{BrandId, CompanyAccountId, Engine, KeywordType, LocalizationId, Role, SystemScope, TermId};

use super::peers::{EngineSql, Psql};
use super::{BenchError, Plan};

pub(super) const BRANDS: u32 = 50;
pub(super) const DAYS: u32 = 90;
/// About 22 captures a day per term.
const ROWS_A_TERM: u64 = 24_000;
const FEWEST_TERMS: u64 = 200;
const LOCALES: [&str; 8] = ["fr_FR", "fr_FR", "fr_BE", "de_DE", "es_ES", "it_IT", "nl_NL", "en_GB"];
pub(super) const REGIONS: [&str; 4] = ["", "North", "South", "East"];
/// Words of the generated domains' names.
pub(super) const DOMAIN_WORDS: [&str; 4] = ["mart", "shop", "club", "nord"];
/// Domains per tag.
const TAGGED: usize = 20;

/// Replaces the generated results by `rows` new ones: of fifty brands, few of them large, over the ninety days before `now`.
pub(crate) async fn fill(
    client: &analytics::Client,
    plan: &Plan,
    rows: u64,
    now: DateTime<Utc>,
) -> Result<(), BenchError> {
    let count = i32::try_from(terms(rows)).unwrap_or(i32::MAX);
    let sample = Sample {
        terms: (0..count).map(|index| term(index, count)).collect(),
        rows,
        days: DAYS,
        end: u32::try_from(now.timestamp()).unwrap_or(u32::MAX),
        seed: plan.seed,
        all_different: plan.all_different,
    };
    sample::delete(client).await?;
    Ok(sample::fill(client, &sample).await?)
}

/// The number of terms that `rows` results belong to, at least [`FEWEST_TERMS`]. Their ids begin at 1.
pub(super) fn terms(rows: u64) -> u64 {
    (rows / ROWS_A_TERM).max(FEWEST_TERMS)
}

/// Lists the domains of the stored results, the most viewed first.
pub(super) async fn domains(engine: &EngineSql) -> Result<Vec<String>, BenchError> {
    let by_views = "select domain from ad_results group by domain order by count() desc, domain format TSV";
    let text = engine.send(by_views.to_owned()).await?.text().await?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// A tag that questions may filter by.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    pub(super) id: i32,
    pub(super) domains: Vec<String>,
}

/// Creates three tags of advertisers, each with up to [`TAGGED`] domains of every size. `rows` makes their names unique.
pub(super) async fn tags(postgres: &str, rows: u64, domains: &[String]) -> Result<Vec<Tag>, BenchError> {
    let pool = postgres::connect(postgres, 1, "vigie-bench")?;
    let scope = SystemScope::new("tags of a bench");
    let mut tags = Vec::new();
    for (number, first) in [0, 3, 40].into_iter().enumerate() {
        let name = format!("bench-{rows}-{number}");
        let new = NewCategory {
            kind: CategoryKind::Dealers,
            name: &name,
            label: &name,
            owner: None,
            for_all: true,
        };
        let id = categories::create(&pool, &scope, &new).await?;
        let step = (domains.len() / TAGGED).max(1);
        let domains: Vec<String> = domains.iter().skip(first).step_by(step).take(TAGGED).cloned().collect();
        for domain in &domains {
            categories::link_domain(&pool, &scope, id, domain).await?;
        }
        tags.push(Tag { id: id.0, domains });
    }
    Ok(tags)
}

/// Makes the term with this index of `count`. Each brand takes a smaller share of the terms than the one before.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "a share of fifty"
)]
fn term(index: i32, count: i32) -> SampleTerm {
    const STEEPNESS: f64 = 2.5;
    let share = f64::from(index) / f64::from(count);
    let brand = 1 + (f64::from(BRANDS) * share.powf(STEEPNESS)) as u32;
    let pick = index.unsigned_abs() as usize;
    SampleTerm {
        id: TermId(index + 1),
        words: format!("keyword {index}"),
        keyword_type: [KeywordType::Generic, KeywordType::Brand, KeywordType::GenericBrand][pick % 3],
        engine: if pick.is_multiple_of(5) {
            Engine::Bing
        } else {
            Engine::Google
        },
        localization: LocalizationId(1 + index % 20),
        locale: LOCALES[pick % LOCALES.len()]
            .parse()
            .unwrap_or_else(|_| unreachable!("LOCALES are locales")),
        city: String::new(),
        region: REGIONS[pick / 3 % REGIONS.len()].to_owned(),
        brand: Some(BrandId(brand as i32)),
        official: format!("brand-{brand}.example"),
        advertisers: Vec::new(),
    }
}

/// An administrator to sign in as.
pub(super) struct Reader {
    pub(super) email: &'static str,
    pub(super) password: String,
}

/// Creates an administrator in a stack's database and returns the address and the generated password to sign in with. Fails on a second call, because
/// the address is taken.
pub(super) async fn reader(postgres: &str) -> Result<Reader, BenchError> {
    const EMAIL: &str = "bench@vigie.example";
    let pool = postgres::connect(postgres, 1, "vigie-bench")?;
    let password = vigie::random::password()?;
    let hash = api::passwords::hash(password.clone()).await?;
    let user = postgres::users::NewUser {
        email: EMAIL,
        password_hash: Some(&hash),
        first_name: None,
        last_name: None,
        company: None,
        roles: &[Role::Admin],
    };
    let mut tx = postgres::begin(&pool).await?;
    postgres::users::create(&mut tx, &user).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Reader { email: EMAIL, password })
}

/// The numbers that a query finds; fails when it finds none.
pub(crate) async fn ids(psql: &Psql, query: &str) -> Result<Vec<i64>, BenchError> {
    let reply = psql.run(&[query]).await?;
    let ids: Vec<i64> = reply.lines().filter_map(|line| line.parse().ok()).collect();
    if ids.is_empty() {
        return Err(BenchError::Answer {
            peer: "PostgreSQL",
            reply: format!("nothing to {query}"),
        });
    }
    Ok(ids)
}

/// Creates a user of a company account, with a generated password.
pub(super) async fn member(postgres: &str, company: CompanyAccountId) -> Result<Reader, BenchError> {
    const EMAIL: &str = "member@vigie.example";
    let pool = postgres::connect(postgres, 1, "vigie-bench")?;
    let password = vigie::random::password()?;
    let hash = api::passwords::hash(password.clone()).await?;
    let user = postgres::users::NewUser {
        email: EMAIL,
        password_hash: Some(&hash),
        company: Some(company),
        ..postgres::users::NewUser::default()
    };
    let mut tx = postgres::begin(&pool).await?;
    postgres::users::create(&mut tx, &user).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Reader { email: EMAIL, password })
}
