//! Turns filters into conditions on actions. The texts of ads are looked up in ClickHouse, and the actions found become a condition too.

use analytics::filter::{Condition as AdCondition, Field, Filters, Operator};
use analytics::reports::advertisers;
use chrono::{DateTime, Utc};
use postgres::actions::{ActionKey, Condition, DateField, TextField};
use strum::VariantArray;
use vocabulary::{ActionId, ActionStatus, Actor, AdKind, BrandId, CategoryId, DealerId, Engine, KeywordType, Scope};

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
    /// Ids of actions.
    #[strum(to_string = "ID", serialize = "id")]
    Id,
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
    /// `true`: advertisers that are to answer; `false`: those that have answered.
    Waiting,
    /// `only` those with unread mails, or `exclude` them.
    Unread,
    /// Words of the terms it was seen on.
    KeywordContent,
    /// Types of the terms it was seen on: `GENERIC`, `BRAND`, `GENERIC_BRAND` or `MULTIBRAND`.
    KeywordType,
    /// A text of the headline of an ad.
    AdTitle,
    /// A text of an ad.
    AdDescription,
    /// Ids of advertisers.
    #[strum(to_string = "advertiserID")]
    AdvertiserId,
    /// Ids of users of the staff, `me` or `none`; for staff.
    Owner,
}

impl ListFilters for ActionFilter {
    fn all() -> Vec<Self> {
        let dates = DateField::VARIANTS.iter().copied().map(Self::Date);
        let cases = CaseFilter::VARIANTS.iter().copied().map(Self::Case);
        let tags = TagFilter::VARIANTS.iter().copied().map(Self::Tag);
        dates.chain(cases).chain(tags).collect()
    }

    /// The filter as clients write it: dates take a range, domains and texts of ads a text, all others a list of values.
    fn describe(&self) -> Filter {
        match self {
            Self::Date(date) => Filter::new(date, FilterForm::Range),
            Self::Case(
                case @ (CaseFilter::Domain
                | CaseFilter::Master
                | CaseFilter::KeywordContent
                | CaseFilter::AdTitle
                | CaseFilter::AdDescription),
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

/// Reads the filters of a list of actions; looks up the actions whose ads contain a text, and the terms that carry a tag. A filter with an unknown
/// name or value is a `BadRequest` that names it; texts that more than [`MOST_SOUGHT`] actions match are `TooManyResults`.
pub(super) async fn read(
    state: &ApiState,
    scope: &Scope,
    raw_filters: &[RawFilter],
) -> Result<NarrowedActions, ApiError> {
    let mut narrowed = NarrowedActions {
        conditions: Vec::new(),
        ads: Filters::none(),
        places: Filters::none(),
    };
    let mut texts = Vec::new();
    // What else is known of the ads of these actions; it narrows the search for a text.
    let mut around = Filters::none();
    let since = seen_since(raw_filters)?;
    for raw in raw_filters {
        let filter = ActionFilter::find(&raw.name).ok_or_else(|| lists::unknown::<ActionFilter>(&raw.name))?;
        match filter {
            ActionFilter::Case(CaseFilter::AdTitle) => texts.push((raw, Field::AdTitle)),
            ActionFilter::Case(CaseFilter::AdDescription) => texts.push((raw, Field::AdDescription)),
            ActionFilter::Case(CaseFilter::Owner) => narrowed.conditions.push(owners(scope, raw)?),
            _ => narrowed.conditions.extend(condition(filter, raw, since)?),
        }
        let of_ads = match filter {
            ActionFilter::Date(DateField::LastView) => Some(Field::Date),
            ActionFilter::Case(CaseFilter::Type) => Some(Field::Type),
            ActionFilter::Case(CaseFilter::Language) => Some(Field::Language),
            ActionFilter::Case(CaseFilter::KeywordContent) => Some(Field::KeywordContent),
            ActionFilter::Case(CaseFilter::KeywordType) => Some(Field::KeywordType),
            _ => None,
        };
        if let Some(field) = of_ads {
            let condition = ad_condition(field, raw.operator, &raw.values)?;
            narrowed.ads.push(condition.clone());
            around.push(condition);
        }
        if let ActionFilter::Tag(TagFilter::KeywordTag) = filter {
            let terms = lists::terms_of(state, scope, &tags(raw)?).await?;
            narrowed.ads.push(AdCondition::terms(includes(raw)?, &terms));
        }
        let of_action = match filter {
            ActionFilter::Case(CaseFilter::BrandId) => Some(Field::Brand),
            ActionFilter::Case(CaseFilter::Country) => Some(Field::Country),
            ActionFilter::Case(CaseFilter::Provider) => Some(Field::Engine),
            _ => None,
        };
        if let Some(field) = of_action {
            let condition = ad_condition(field, raw.operator, &raw.values)?;
            narrowed.places.push(condition.clone());
            around.push(condition);
        }
    }
    let (held, lacked): (Vec<_>, Vec<_>) = texts
        .into_iter()
        .partition(|(raw, _)| matches!(raw.operator, Operator::Inq | Operator::Contain));
    if !held.is_empty() {
        let mut filters = around.clone();
        for (raw, field) in held {
            let condition = ad_condition(field, Operator::Contain, &raw.values)?;
            narrowed.ads.push(condition.clone());
            filters.push(condition);
        }
        narrowed
            .conditions
            .push(Condition::Among(true, find_actions(state, scope, &filters).await?));
    }
    for (raw, field) in lacked {
        let mut filters = around.clone();
        filters.push(ad_condition(field, Operator::Contain, &raw.values)?);
        narrowed
            .conditions
            .push(Condition::Among(false, find_actions(state, scope, &filters).await?));
    }
    Ok(narrowed)
}

/// The keys of the actions whose ads match the filters and that the scope sees; `TooManyResults` for more than [`MOST_SOUGHT`].
async fn find_actions(state: &ApiState, scope: &Scope, filters: &Filters) -> Result<Vec<ActionKey>, ApiError> {
    let found = advertisers::list(&state.analytics, scope, filters, MOST_SOUGHT).await?;
    let actions = found.into_iter().map(|row| ActionKey {
        brand: row.brand,
        domain: row.domain,
        country: row.country,
        engine: row.engine,
    });
    Ok(actions.collect())
}

/// The condition on ads for a filter; a `BadRequest` when a value does not fit the field.
fn ad_condition(field: Field, operator: Operator, values: &[String]) -> Result<AdCondition, ApiError> {
    AdCondition::read(field, operator, values).map_err(|bad| ApiError::BadRequest(bad.to_string()))
}

/// The start of the period of the filter `lastView`; `None` without that filter or with an open start. The filter `type` counts ads seen from then on. A
/// `BadRequest` for a `lastView` that is no range.
fn seen_since(raw_filters: &[RawFilter]) -> Result<Option<DateTime<Utc>>, ApiError> {
    let name = DateField::LastView.to_string();
    let Some(raw) = raw_filters.iter().find(|raw| raw.name == name) else {
        return Ok(None);
    };
    match between(DateField::LastView, raw)? {
        Condition::Between(_, from, _) => Ok(from),
        _ => Ok(None),
    }
}

/// The condition on actions for one filter; `None` for the texts of ads, which Postgres does not know. `since` limits the filter by kind. A
/// `BadRequest` for a value or operator that the filter does not take.
fn condition(
    filter: ActionFilter,
    raw: &RawFilter,
    since: Option<DateTime<Utc>>,
) -> Result<Option<Condition>, ApiError> {
    let case = match filter {
        ActionFilter::Date(field) => return between(field, raw).map(Some),
        ActionFilter::Tag(TagFilter::AdvertiserTag) => {
            return Ok(Some(Condition::AdvertiserTags(includes(raw)?, tags(raw)?)));
        }
        ActionFilter::Tag(TagFilter::KeywordTag) => {
            return Ok(Some(Condition::KeywordTags(includes(raw)?, tags(raw)?)));
        }
        ActionFilter::Case(case) => case,
    };
    let include = includes(raw)?;
    let holds = matches!(raw.operator, Operator::Contain | Operator::Exclude);
    Ok(Some(match case {
        CaseFilter::Id => Condition::Ids(include, each::<ActionId>(raw, "ids of actions")?),
        CaseFilter::BrandId => Condition::Brands(include, each::<BrandId>(raw, "ids of brands")?),
        CaseFilter::Provider => {
            let engines = raw.values.iter().map(|value| match value.parse::<Engine>() {
                Ok(engine) => Ok(Some(engine)),
                Err(_) if value.eq_ignore_ascii_case(YAHOO) => Ok(None),
                Err(_) => Err(takes(raw, "google, bing or yahoo")),
            });
            Condition::Engines(include, engines.collect::<Result<_, _>>()?)
        }
        CaseFilter::Country => Condition::Countries(
            include,
            letters(raw, "countries of two letters", str::to_ascii_uppercase)?,
        ),
        CaseFilter::Language => Condition::Languages(
            include,
            letters(raw, "languages of two letters", str::to_ascii_lowercase)?,
        ),
        CaseFilter::Domain if holds => Condition::Holds(TextField::Domain, include, raw.values.clone()),
        CaseFilter::Domain => Condition::Is(TextField::Domain, include, lower(raw)),
        CaseFilter::Master if holds => Condition::Holds(TextField::Master, include, raw.values.clone()),
        CaseFilter::Master => Condition::Is(TextField::Master, include, lower(raw)),
        CaseFilter::Type => Condition::Kinds(include, each::<AdKind>(raw, "ads or shopping")?, since),
        CaseFilter::Status => {
            Condition::Statuses(include, each::<ActionStatus>(raw, "statuses such as new or requested")?)
        }
        CaseFilter::Reappearance => Condition::Reappeared(only(raw)? == include),
        CaseFilter::Waiting => match raw.values.as_slice() {
            [value] if value == "true" => Condition::Waiting(include),
            [value] if value == "false" => Condition::Waiting(!include),
            _ => return Err(takes(raw, "true or false")),
        },
        CaseFilter::Unread => Condition::UnreadMails(only(raw)? == include),
        CaseFilter::KeywordContent if holds => Condition::KeywordsHold(include, raw.values.clone()),
        CaseFilter::KeywordContent => Condition::KeywordsAre(include, lower(raw)),
        CaseFilter::KeywordType => {
            Condition::KeywordTypes(include, each::<KeywordType>(raw, "types such as GENERIC or BRAND")?)
        }
        CaseFilter::AdvertiserId => Condition::Advertisers(include, each::<DealerId>(raw, "ids of advertisers")?),
        CaseFilter::AdTitle | CaseFilter::AdDescription | CaseFilter::Owner => return Ok(None),
    }))
}

/// The condition on who works on actions, which staff alone may ask about; for others the filter does not exist.
fn owners(scope: &Scope, raw: &RawFilter) -> Result<Condition, ApiError> {
    if !scope.is_everything() {
        return Err(lists::unknown::<ActionFilter>(&raw.name));
    }
    let owner = |value: &String| match (value.trim(), scope.actor()) {
        ("none", _) => Ok(None),
        ("me", Actor::User(user)) => Ok(Some(user)),
        (id, _) => id.parse().map(Some).map_err(|_| takes(raw, "ids of users, me or none")),
    };
    let owners = raw.values.iter().map(owner).collect::<Result<_, _>>()?;
    Ok(Condition::Owners(includes(raw)?, owners))
}

/// The condition that a date is between two instants, either of which may be empty; a `BadRequest` for any other operator or form.
fn between(field: DateField, raw: &RawFilter) -> Result<Condition, ApiError> {
    let wrong = || {
        takes(
            raw,
            "between two instants like 2026-01-31T00:00:00Z, one of which may be missing",
        )
    };
    let [from, to] = raw.values.as_slice() else {
        return Err(wrong());
    };
    if raw.operator != Operator::Between {
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

/// Whether the operator includes the values (true) or excludes them; a `BadRequest` for `between`.
fn includes(raw: &RawFilter) -> Result<bool, ApiError> {
    match raw.operator {
        Operator::Inq | Operator::Contain => Ok(true),
        Operator::Nin | Operator::Exclude => Ok(false),
        Operator::Between => Err(takes(raw, "inq, nin, contain or exclude, not 'between'")),
    }
}

/// Whether the only value is `only` (true) or `exclude` (false); a `BadRequest` for anything else.
fn only(raw: &RawFilter) -> Result<bool, ApiError> {
    match raw.values.as_slice() {
        [value] if value == "only" => Ok(true),
        [value] if value == "exclude" => Ok(false),
        _ => Err(takes(raw, "only or exclude")),
    }
}

fn tags(raw: &RawFilter) -> Result<Vec<CategoryId>, ApiError> {
    each(raw, "ids of tags")
}

/// Parses every value; a `BadRequest` that says `what` the filter takes when one does not parse.
fn each<T: std::str::FromStr>(raw: &RawFilter, what: &str) -> Result<Vec<T>, ApiError> {
    let values: Result<Vec<T>, _> = raw.values.iter().map(|value| value.trim().parse()).collect();
    values.map_err(|_| takes(raw, what))
}

/// The values as codes of two or three letters, in the case that `spell` gives them; a `BadRequest` that says `what` the filter takes for others.
fn letters(raw: &RawFilter, what: &str, spell: fn(&str) -> String) -> Result<Vec<String>, ApiError> {
    let words = raw.values.iter().map(|value| value.trim());
    words
        .map(|word| {
            let is_word = (2..=3).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphabetic());
            is_word.then(|| spell(word)).ok_or_else(|| takes(raw, what))
        })
        .collect()
}

fn lower(raw: &RawFilter) -> Vec<String> {
    raw.values.iter().map(|value| value.trim().to_lowercase()).collect()
}

/// The `BadRequest` that a filter takes `what`.
fn takes(raw: &RawFilter, what: &str) -> ApiError {
    ApiError::BadRequest(format!("{} takes {what}", raw.name))
}
