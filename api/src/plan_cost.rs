//! What terms cost before and after a change: captures a day, what is asked of the engines, and the quotas of company accounts. Terms are planned by the
//! function that plans their slots; nothing is saved.

use std::collections::BTreeMap;

use postgres::Connection;
use postgres::capture_quotas::{self, TouchedPlans};
use postgres::term_dues::{self, TermToPlan};
use runtime::Settings;
use schedules::{grid, quotas};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::{BrandId, CompanyAccountId, Engine, Locale, SystemScope, TermId};

use crate::failure::ApiError;
use crate::state::ApiState;

/// Other companies' terms share the same engines, and terms count for accounts that their editor may not see.
const SCOPE: SystemScope = SystemScope::new("adding up what all terms ask of the engines and count for accounts");
const HOURS_A_DAY: f64 = 24.0;
const MINUTES_AN_HOUR: u32 = 60;

/// A term before and after a change.
pub(crate) struct CostedTerm {
    /// `None` for a new term.
    pub(crate) before: Option<TermToPlan>,
    pub(crate) after: TermToPlan,
    pub(crate) counts_for: CountsFor,
}

/// The company accounts that a term counts for after a change.
pub(crate) enum CountsFor {
    /// Those that it counts for now.
    AsBefore,
    /// Those of a brand, and others.
    These {
        brand: Option<BrandId>,
        companies: Vec<CompanyAccountId>,
    },
}

/// Captures before and after a change, on average.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlanCostView {
    /// Terms that the change is about.
    terms: usize,
    /// Captures of these terms a day.
    per_day: BeforeAfterView,
    /// What all terms ask of each engine on each route that one of these terms takes.
    engines: Vec<EngineLoadView>,
    /// What is planned for each company account with a quota that one of these terms counts for.
    quotas: Vec<QuotaLoadView>,
}

/// A figure before and after the change.
#[derive(Clone, Copy, Default, Serialize, ToSchema)]
struct BeforeAfterView {
    before: f64,
    after: f64,
}

/// What all terms ask of an engine on one route.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct EngineLoadView {
    /// `google` or `bing`.
    engine: String,
    /// The country whose searches take a proxy of their own; null for all others.
    country: Option<String>,
    /// Captures an hour at most, by the settings.
    limit_per_hour: u32,
    /// Captures of all terms an hour.
    per_hour: BeforeAfterView,
    /// Their share of the limit; above 1 some will be missed.
    share: BeforeAfterView,
}

/// What is planned for a company account with a quota.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct QuotaLoadView {
    #[serde(rename = "companyAccountID")]
    company_account_id: i32,
    name: String,
    /// Captures that may be planned in a month. A change that plans more than before, and more than these, is refused.
    quota: u64,
    /// Captures of all terms of the account in a month of 732 hours.
    per_month: PlannedCapturesView,
}

/// A number of captures before and after the change.
#[derive(Serialize, ToSchema)]
struct PlannedCapturesView {
    before: u64,
    after: u64,
}

/// What these terms cost before and after their change.
pub(crate) async fn cost(
    state: &ApiState,
    connection: &mut Connection,
    terms: &[CostedTerm],
) -> Result<PlanCostView, ApiError> {
    let now = state.clock.now();
    let an_hour = |term: Option<&TermToPlan>| term.map_or(0.0, |term| grid::captures_an_hour(&term.term, now));
    let changes: Vec<(f64, f64)> = terms
        .iter()
        .map(|term| (an_hour(term.before.as_ref()), an_hour(Some(&term.after))))
        .collect();
    let mut per_day = BeforeAfterView::default();
    let mut loads: BTreeMap<Route, BeforeAfterView> = BTreeMap::new();
    for (term, (before, after)) in terms.iter().zip(&changes) {
        per_day.before += before * HOURS_A_DAY;
        per_day.after += after * HOURS_A_DAY;
        if let Some(term) = &term.before {
            loads.entry(Route::of_term(&state.settings, term)).or_default().before += before;
        }
        let route = Route::of_term(&state.settings, &term.after);
        loads.entry(route).or_default().after += after;
    }
    for other in term_dues::load_besides(&mut *connection, &SCOPE, &stored(terms)).await? {
        let route = Route::new(&state.settings, other.engine, other.locale.as_deref());
        if let Some(load) = loads.get_mut(&route) {
            load.before += other.an_hour;
            load.after += other.an_hour;
        }
    }
    let engines = loads
        .into_iter()
        .map(|(route, per_hour)| view(&state.settings, route, per_hour));
    Ok(PlanCostView {
        terms: terms.len(),
        per_day,
        engines: engines.collect(),
        quotas: quotas_of(state, connection, terms, &changes).await?,
    })
}

/// The ids of the terms that are there already.
fn stored(terms: &[CostedTerm]) -> Vec<TermId> {
    let before = terms.iter().filter_map(|term| term.before.as_ref());
    before.map(|term| term.term.id).collect()
}

/// What is planned for the accounts with a quota that these terms count for, given the captures an hour of each term before and after.
async fn quotas_of(
    state: &ApiState,
    connection: &mut Connection,
    terms: &[CostedTerm],
    changes: &[(f64, f64)],
) -> Result<Vec<QuotaLoadView>, ApiError> {
    let limited = capture_quotas::touched(&mut *connection, &SCOPE, TouchedPlans::Any).await?;
    if limited.is_empty() {
        return Ok(Vec::new());
    }
    let of_terms = capture_quotas::accounts_of_terms(&mut *connection, &SCOPE, &stored(terms)).await?;
    let of_brands = capture_quotas::accounts_of_brands(&mut *connection, &SCOPE, &brands_after(terms)).await?;
    let none = Vec::new();
    let mut added: BTreeMap<CompanyAccountId, f64> = BTreeMap::new();
    for (term, (before, after)) in terms.iter().zip(changes) {
        let now = term.before.as_ref().and_then(|term| of_terms.get(&term.term.id));
        let now = now.unwrap_or(&none);
        let then: Vec<CompanyAccountId> = match &term.counts_for {
            CountsFor::AsBefore => now.clone(),
            CountsFor::These { brand, companies } => {
                let of_brand = brand.and_then(|brand| of_brands.get(&brand)).unwrap_or(&none);
                let mut then: Vec<_> = of_brand.iter().chain(companies).copied().collect();
                then.sort_unstable();
                then.dedup();
                then
            }
        };
        for account in now {
            *added.entry(*account).or_default() -= before;
        }
        for account in then {
            *added.entry(account).or_default() += after;
        }
    }
    added.retain(|account, _| limited.iter().any(|limited| limited.account == *account));
    let planned = quotas::planned_with(&mut *connection, &added, state.clock.now()).await?;
    let loads = limited.into_iter().filter_map(|limited| {
        let planned = planned.get(&limited.account)?;
        Some(QuotaLoadView {
            company_account_id: limited.account.0,
            name: limited.name,
            quota: limited.captures?,
            per_month: PlannedCapturesView {
                before: planned.before,
                after: planned.after,
            },
        })
    });
    Ok(loads.collect())
}

/// The brands that terms get or keep where the change says so.
fn brands_after(terms: &[CostedTerm]) -> Vec<BrandId> {
    let brands = terms.iter().filter_map(|term| match term.counts_for {
        CountsFor::These { brand, .. } => brand,
        CountsFor::AsBefore => None,
    });
    let mut brands: Vec<BrandId> = brands.collect();
    brands.sort_unstable();
    brands.dedup();
    brands
}

/// How searches reach an engine, as far as they share one pace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Route {
    engine: Engine,
    /// Where searches of this country have a proxy of their own.
    country: Option<String>,
}

impl Route {
    fn of_term(settings: &Settings, term: &TermToPlan) -> Self {
        Self::new(settings, term.engine, term.locale.as_deref())
    }

    /// The route of searches of a locale, such as `fr-FR`, on an engine. It has a country only if the settings have a proxy of that country for the
    /// engine; no locale, or one that cannot be read, has none.
    fn new(settings: &Settings, engine: Engine, locale: Option<&str>) -> Self {
        let locale: Option<Locale> = locale.and_then(|locale| locale.parse().ok());
        let country = locale.map(|locale| locale.country().to_owned());
        let proxies = &of_engine(settings, engine).country_proxies;
        Self {
            engine,
            country: country.filter(|country| proxies.iter().any(|proxy| proxy.country == *country)),
        }
    }
}

/// The settings of an engine.
const fn of_engine(settings: &Settings, engine: Engine) -> &runtime::settings::Engine {
    match engine {
        Engine::Google => &settings.engines.google,
        Engine::Bing => &settings.engines.bing,
    }
}

/// The captures an hour of a route beside the limit of the settings, and their share of it. A limit of 0 a minute counts as 1.
fn view(settings: &Settings, route: Route, per_hour: BeforeAfterView) -> EngineLoadView {
    let limit_per_hour = of_engine(settings, route.engine)
        .per_minute
        .max(1)
        .saturating_mul(MINUTES_AN_HOUR);
    EngineLoadView {
        engine: route.engine.to_string(),
        country: route.country,
        limit_per_hour,
        per_hour,
        share: BeforeAfterView {
            before: per_hour.before / f64::from(limit_per_hour),
            after: per_hour.after / f64::from(limit_per_hour),
        },
    }
}
