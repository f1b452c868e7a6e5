//! Turns filters into conditions on actions. The texts of ads are looked up in ClickHouse, and the actions found become a condition too.

use analytics::filter::{Condition as AdCondition, Field, Filters, Operator};
use analytics::reports::advertisers;
use chrono::{DateTime, Utc};
use postgres::actions::{ActionKey, Condition, DateField, TextField};
use strum::VariantArray;
use vocabulary::{ActionStatus, AdKind, BrandId, CategoryId, Engine, Scope};

use crate::failure::ApiError;
use crate::lists::{self, Filter, FilterForm, ListFilters, RawFilter, TagFilter};
use crate::state::ApiState;

/// Actions whose ads contain a text; of more the filter is refused.
const MOST_SOUGHT: u32 = 50_000;
/// Offered as a provider although it is never captured (decision D79).
const YAHOO: &str = "yahoo";

/// A filter of the list of actions.
#[derive(Clone, Copy, Debug)]
pub(super) enum ActionFilter {
    Date(DateField),
    Case(CaseFilter),
    Tag(TagFilter),
}

/// A filter by what an action is about, or by its ads.
#[derive(Clone, Copy, Debug, strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "camelCase")]
pub(super) enum CaseFilter {
    /// Ids of brands.
    #[strum(to_string = "brandId", serialize = "brandID")]
    BrandId,
    /// `google`, `bing` or `yahoo`.
    #[strum(to_string = "provider", serialize = "engine")]
    Provider,
    /// Countries of the searches, two letters.
    Country,
    /// Languages of the searches, two letters.
    Language,
    /// The advertiser's host.
    Domain,
    /// The advertiser's registrable domain.
    Master,
    /// `ads` or `shopping`.
    Type,
    /// Statuses such as `new` or `requested`.
    Status,
    /// `only` those that appeared again, or `exclude` them.
    Reappearance,
    /// A text of the headline of an ad.
    AdTitle,
    /// A text of an ad.
    AdDescription,
}

impl ListFilters for ActionFilter {
    fn all() -> Vec<Self> {
        let dates = DateField::VARIANTS.iter().copied().map(Self::Date);
        let cases = CaseFilter::VARIANTS.iter().copied().map(Self::Case);
        let tags = TagFilter::VARIANTS.iter().copied().map(Self::Tag);
        dates.chain(cases).chain(tags).collect()
    }

    fn describe(&self) -> Filter {
        match self {
            Self::Date(date) => Filter::new(date, FilterForm::Range),
            Self::Case(
                case @ (CaseFilter::Domain | CaseFilter::Master | CaseFilter::AdTitle | CaseFilter::AdDescription),
            ) => Filter::new(case, FilterForm::Text),
            Self::Case(case) => Filter::new(case, FilterForm::Values),
            Self::Tag(tag) => Filter::new(tag, FilterForm::Values),
        }
    }
}

/// What a list of actions is narrowed by.
pub(super) struct NarrowedActions {
    /// Conditions on the actions themselves.
    pub(super) conditions: Vec<Condition>,
    /// Their ads, as far as the filters speak of ads: what figures are counted over.
    pub(super) ads: Filters,
    /// The brands, countries and engines of these ads, as far as the filters name them.
    pub(super) places: Filters,
}

/// Reads the filters. One with an unknown name or value is refused with its name.
pub(super) async fn read(state: &ApiState, scope: &Scope, asked: &[RawFilter]) -> Result<NarrowedActions, ApiError> {
    let mut narrowed = NarrowedActions {
        conditions: Vec::new(),
        ads: Filters::none(),
        places: Filters::none(),
    };
    let mut texts = Vec::new();
    // What else is known of the ads of these actions; it narrows the search for a text.
    let mut around = Filters::none();
    let since = seen_since(asked)?;
    for one in asked {
        let filter = ActionFilter::find(&one.name).ok_or_else(|| lists::unknown::<ActionFilter>(&one.name))?;
        match filter {
            ActionFilter::Case(CaseFilter::AdTitle) => texts.push((one, Field::AdTitle)),
            ActionFilter::Case(CaseFilter::AdDescription) => texts.push((one, Field::AdDescription)),
            _ => narrowed.conditions.extend(condition(filter, one, since)?),
        }
        let of_ads = match filter {
            ActionFilter::Date(DateField::LastView) => Some(Field::Date),
            ActionFilter::Case(CaseFilter::Type) => Some(Field::Type),
            ActionFilter::Case(CaseFilter::Language) => Some(Field::Language),
            _ => None,
        };
        if let Some(field) = of_ads {
            let condition = ad_condition(field, one.operator, &one.values)?;
            narrowed.ads.push(condition.clone());
            around.push(condition);
        }
        if let ActionFilter::Tag(TagFilter::KeywordTag) = filter {
            let terms = lists::terms_of(state, scope, &tags(one)?).await?;
            narrowed.ads.push(AdCondition::terms(includes(one)?, &terms));
        }
        let of_action = match filter {
            ActionFilter::Case(CaseFilter::BrandId) => Some(Field::Brand),
            ActionFilter::Case(CaseFilter::Country) => Some(Field::Country),
            ActionFilter::Case(CaseFilter::Provider) => Some(Field::Engine),
            _ => None,
        };
        if let Some(field) = of_action {
            let condition = ad_condition(field, one.operator, &one.values)?;
            narrowed.places.push(condition.clone());
            around.push(condition);
        }
    }
    let (held, lacked): (Vec<_>, Vec<_>) = texts
        .into_iter()
        .partition(|(one, _)| matches!(one.operator, Operator::Inq | Operator::Contain));
    if !held.is_empty() {
        let mut filters = around.clone();
        for (one, field) in held {
            let condition = ad_condition(field, Operator::Contain, &one.values)?;
            narrowed.ads.push(condition.clone());
            filters.push(condition);
        }
        narrowed
            .conditions
            .push(Condition::Among(true, seen(state, scope, &filters).await?));
    }
    for (one, field) in lacked {
        let mut filters = around.clone();
        filters.push(ad_condition(field, Operator::Contain, &one.values)?);
        narrowed
            .conditions
            .push(Condition::Among(false, seen(state, scope, &filters).await?));
    }
    Ok(narrowed)
}

async fn seen(state: &ApiState, scope: &Scope, filters: &Filters) -> Result<Vec<ActionKey>, ApiError> {
    let found = advertisers::list(&state.analytics, scope, filters, MOST_SOUGHT).await?;
    let seen = found.into_iter().map(|row| ActionKey {
        brand: row.brand,
        domain: row.domain,
        country: row.country,
        engine: row.engine,
    });
    Ok(seen.collect())
}

fn ad_condition(field: Field, operator: Operator, values: &[String]) -> Result<AdCondition, ApiError> {
    AdCondition::read(field, operator, values).map_err(|bad| ApiError::BadRequest(bad.to_string()))
}

/// The beginning of the period in which actions were seen, where the filters name one: filters by kind apply to ads from then on.
fn seen_since(asked: &[RawFilter]) -> Result<Option<DateTime<Utc>>, ApiError> {
    let name = DateField::LastView.to_string();
    let Some(asked) = asked.iter().find(|asked| asked.name == name) else {
        return Ok(None);
    };
    match between(DateField::LastView, asked)? {
        Condition::Between(_, from, _) => Ok(from),
        _ => Ok(None),
    }
}

/// The condition on actions; `None` for the texts of ads, which Postgres does not know.
fn condition(
    filter: ActionFilter,
    asked: &RawFilter,
    since: Option<DateTime<Utc>>,
) -> Result<Option<Condition>, ApiError> {
    let case = match filter {
        ActionFilter::Date(field) => return between(field, asked).map(Some),
        ActionFilter::Tag(TagFilter::AdvertiserTag) => {
            return Ok(Some(Condition::AdvertiserTags(includes(asked)?, tags(asked)?)));
        }
        ActionFilter::Tag(TagFilter::KeywordTag) => {
            return Ok(Some(Condition::KeywordTags(includes(asked)?, tags(asked)?)));
        }
        ActionFilter::Case(case) => case,
    };
    let include = includes(asked)?;
    let holds = matches!(asked.operator, Operator::Contain | Operator::Exclude);
    Ok(Some(match case {
        CaseFilter::BrandId => Condition::Brands(include, each::<BrandId>(asked, "ids of brands")?),
        CaseFilter::Provider => {
            let engines = asked.values.iter().map(|value| match value.parse::<Engine>() {
                Ok(engine) => Ok(Some(engine)),
                Err(_) if value.eq_ignore_ascii_case(YAHOO) => Ok(None),
                Err(_) => Err(takes(asked, "google, bing or yahoo")),
            });
            Condition::Engines(include, engines.collect::<Result<_, _>>()?)
        }
        CaseFilter::Country => Condition::Countries(
            include,
            letters(asked, "countries of two letters", str::to_ascii_uppercase)?,
        ),
        CaseFilter::Language => Condition::Languages(
            include,
            letters(asked, "languages of two letters", str::to_ascii_lowercase)?,
        ),
        CaseFilter::Domain if holds => Condition::Holds(TextField::Domain, include, asked.values.clone()),
        CaseFilter::Domain => Condition::Is(TextField::Domain, include, lower(asked)),
        CaseFilter::Master if holds => Condition::Holds(TextField::Master, include, asked.values.clone()),
        CaseFilter::Master => Condition::Is(TextField::Master, include, lower(asked)),
        CaseFilter::Type => Condition::Kinds(include, each::<AdKind>(asked, "ads or shopping")?, since),
        CaseFilter::Status => Condition::Statuses(
            include,
            each::<ActionStatus>(asked, "statuses such as new or requested")?,
        ),
        CaseFilter::Reappearance => match asked.values.as_slice() {
            [value] if value == "only" => Condition::Reappeared(include),
            [value] if value == "exclude" => Condition::Reappeared(!include),
            _ => return Err(takes(asked, "only or exclude")),
        },
        CaseFilter::AdTitle | CaseFilter::AdDescription => return Ok(None),
    }))
}

fn between(field: DateField, asked: &RawFilter) -> Result<Condition, ApiError> {
    let wrong = || {
        takes(
            asked,
            "between two instants like 2026-01-31T00:00:00Z, one of which may be missing",
        )
    };
    let [from, to] = asked.values.as_slice() else {
        return Err(wrong());
    };
    if asked.operator != Operator::Between {
        return Err(wrong());
    }
    let read = |text: &String| match text.trim() {
        "" => Ok(None),
        text => DateTime::parse_from_rfc3339(text)
            .map(|instant| Some(instant.with_timezone(&Utc)))
            .map_err(|_| wrong()),
    };
    Ok(Condition::Between(field, read(from)?, read(to)?))
}

fn includes(asked: &RawFilter) -> Result<bool, ApiError> {
    match asked.operator {
        Operator::Inq | Operator::Contain => Ok(true),
        Operator::Nin | Operator::Exclude => Ok(false),
        Operator::Between => Err(takes(asked, "inq, nin, contain or exclude, not 'between'")),
    }
}

fn tags(asked: &RawFilter) -> Result<Vec<CategoryId>, ApiError> {
    each(asked, "ids of tags")
}

fn each<T: std::str::FromStr>(asked: &RawFilter, what: &str) -> Result<Vec<T>, ApiError> {
    let values: Result<Vec<T>, _> = asked.values.iter().map(|value| value.trim().parse()).collect();
    values.map_err(|_| takes(asked, what))
}

fn letters(asked: &RawFilter, what: &str, spell: fn(&str) -> String) -> Result<Vec<String>, ApiError> {
    let words = asked.values.iter().map(|value| value.trim());
    words
        .map(|word| {
            let is_word = (2..=3).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphabetic());
            is_word.then(|| spell(word)).ok_or_else(|| takes(asked, what))
        })
        .collect()
}

fn lower(asked: &RawFilter) -> Vec<String> {
    asked.values.iter().map(|value| value.trim().to_lowercase()).collect()
}

fn takes(asked: &RawFilter, what: &str) -> ApiError {
    ApiError::BadRequest(format!("{} takes {what}", asked.name))
}
