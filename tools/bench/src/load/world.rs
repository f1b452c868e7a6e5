//! What the users work on: ad results, cases with their mails, companies with their users, and terms that are captured.

use std::sync::Arc;
use std::time::Duration;

use postgres::Pool;
use postgres::companies;
use postgres::users::NewUser;
use runtime::Clock;
use vigie::trial::TrialStack;
use vocabulary::{BrandId, CompanyAccountId, Role, SystemScope, TermId};

use super::Plan;
use crate::bench::peers::Psql;
use crate::bench::{self, BenchError};
use crate::captures;

const COMPANIES: u32 = 25;
const BRANDS_OF_A_COMPANY: u32 = 2;
/// Every tenth user is an administrator and sees every brand.
const ADMINISTRATOR_EVERY: u32 = 10;
const CAPTURED: usize = 20;
const CAPTURED_EVERY: Duration = Duration::from_mins(1);
/// Brands of which cases are reminded without a person.
const REMINDED: &str =
    "update brand set reminder = '{\"autoReminder\": true}' where name like 'bench-outreach-%' and id % 5 = 0";
/// Cases of a brand that its users open.
const OPENED: &str = "select id from action where brand_id = any(string_to_array('$BRANDS', ',')::int[]) order by last_status_date desc limit 500";

/// A user with what they work on.
pub struct Person {
    pub email: String,
    /// Brands that they look at, one at a time; administrators also look at all at once.
    pub brands: Vec<BrandId>,
    pub sees_all: bool,
    /// Cases that they open.
    pub cases: Vec<i64>,
}

/// The contents of the stack, and connections to its Postgres.
pub struct World {
    pub postgres: Pool,
    pub psql: Psql,
    /// All have the same password.
    pub password: String,
    pub people: Vec<Arc<Person>>,
    pub captured: Vec<TermId>,
}

impl World {
    /// Fills the stack, which is empty.
    pub async fn make(stack: &TrialStack, plan: &Plan) -> Result<Self, BenchError> {
        let address = stack.setting("VIGIE__POSTGRES__URL", "where PostgreSQL is")?;
        let psql = Psql::new(address);
        // Its brands are the first, so that the results are theirs.
        bench::outreach::world::fill(&psql, address, plan.cases).await?;
        psql.run(&bench::home::OFFICIALS).await?;
        psql.run(&[REMINDED]).await?;
        let client = analytics::Client::connect(&stack.analytics()?).await?;
        let results = bench::Plan {
            subjects: Vec::new(),
            cases: plan.cases,
            rows: vec![plan.rows],
            seed: plan.seed,
            all_different: false,
        };
        bench::world::fill(&client, &results, plan.rows, Clock::system().now()).await?;

        let postgres = postgres::connect(address, 2, "vigie-bench load")?;
        let password = vigie::random::password()?;
        let people = people(&postgres, &psql, plan.users, &password).await?;
        let mut tx = postgres::begin(&postgres).await?;
        let captured = captures::create_terms(&mut tx, CAPTURED, CAPTURED_EVERY).await?;
        tx.commit().await.map_err(postgres::Error::from)?;
        Ok(Self {
            postgres,
            psql,
            password,
            people,
            captured,
        })
    }
}

/// Creates the companies with their brands, and the users; all users get this password.
async fn people(postgres: &Pool, psql: &Psql, users: u32, password: &str) -> Result<Vec<Arc<Person>>, BenchError> {
    let scope = SystemScope::new("users of a bench");
    let hash = api::passwords::hash(password.to_owned()).await?;
    let mut tx = postgres::begin(postgres).await?;
    let mut of_company: Vec<(CompanyAccountId, Vec<BrandId>)> = Vec::new();
    for number in 0..COMPANIES {
        let name = format!("bench-load-{number}");
        let company = companies::create(&mut *tx, &scope, &name, &name).await?;
        let first = number * BRANDS_OF_A_COMPANY + 1;
        let brands: Vec<BrandId> = (first..first + BRANDS_OF_A_COMPANY)
            .map(|brand| BrandId(brand.cast_signed()))
            .collect();
        for brand in &brands {
            companies::link_brand(&mut *tx, &scope, company, *brand).await?;
        }
        of_company.push((company, brands));
    }
    let mut people = Vec::new();
    for number in 0..users {
        let sees_all = number % ADMINISTRATOR_EVERY == 0;
        let (company, brands) = &of_company[(number % COMPANIES) as usize];
        let email = format!("user-{number}@vigie.example");
        let roles: &[Role] = if sees_all { &[Role::Admin] } else { &[] };
        let user = NewUser {
            email: &email,
            password_hash: Some(&hash),
            company: (!sees_all).then_some(*company),
            roles,
            ..NewUser::default()
        };
        postgres::users::create(&mut tx, &user).await?;
        people.push(Person {
            email,
            brands: brands.clone(),
            sees_all,
            cases: Vec::new(),
        });
    }
    tx.commit().await.map_err(postgres::Error::from)?;
    for (_, brands) in &of_company {
        let ids: Vec<String> = brands.iter().map(|brand| brand.0.to_string()).collect();
        let cases = bench::world::ids(psql, &OPENED.replace("$BRANDS", &ids.join(","))).await?;
        for person in people.iter_mut().filter(|person| person.brands == *brands) {
            person.cases.clone_from(&cases);
        }
    }
    Ok(people.into_iter().map(Arc::new).collect())
}
