//! Turns filters into conditions; tags become the domains and terms that carry them (decision D77).

use analytics::filter::{Condition, Field, Filters, Operator};
use analytics::reports::newcomers;
use chrono::DateTime;
use strum::{Display, EnumMessage, EnumString, VariantArray};
use vocabulary::{CategoryId, Scope};

use crate::failure::ApiError;
use crate::lists::{self, Filter, FilterForm, ListFilters, RawFilter, TagFilter};
use crate::state::ApiState;

/// A filter of the lists of ads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AdFilter {
    Field(Field),
    Tag(TagFilter),
    Appearance(AppearanceFilter),
}

/// A filter by when advertisers appeared, in the period of the other filters.
#[derive(Clone, Copy, Debug, Display, EnumMessage, VariantArray)]
#[strum(serialize_all = "camelCase")]
pub(crate) enum AppearanceFilter {
    /// Whether the advertiser is new in the period (`new`), or back in it after 30 days or more (`returning`).
    Appearance,
}

/// What [`AppearanceFilter`] takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "lowercase")]
enum Appearance {
    New,
    Returning,
}

impl ListFilters for AdFilter {
    fn all() -> Vec<Self> {
        let fields = Field::VARIANTS.iter().copied().map(Self::Field);
        fields
            .chain(TagFilter::VARIANTS.iter().copied().map(Self::Tag))
            .chain(AppearanceFilter::VARIANTS.iter().copied().map(Self::Appearance))
            .collect()
    }

    /// A date takes a range alone, every other ordered field values or a range, the rest values alone.
    fn describe(&self) -> Filter {
        match self {
            Self::Field(field @ Field::Date) => Filter::new(field, FilterForm::Range),
            Self::Field(field) if field.is_ordered() => Filter::new(field, FilterForm::ValuesOrRange),
            Self::Field(field) => Filter::new(field, FilterForm::Values),
            Self::Tag(tag) => Filter::new(tag, FilterForm::Values),
            Self::Appearance(appearance) => Filter::new(appearance, FilterForm::Values),
        }
    }
}

/// Reads the filters of a list of ads; a tag becomes the domains or terms that carry it. A `BadRequest` names a filter that is unknown or cannot be
/// read.
pub(crate) async fn read(state: &ApiState, scope: &Scope, raw_filters: &[RawFilter]) -> Result<Filters, ApiError> {
    read_of::<AdFilter>(state, scope, raw_filters).await
}

/// Like [`read`], for a list that has filters of its own beside these: the refusal of an unknown one names all of `L`. Filters that only `L` has are
/// unknown here, too: rewrite them before.
pub(crate) async fn read_of<L: ListFilters>(
    state: &ApiState,
    scope: &Scope,
    raw_filters: &[RawFilter],
) -> Result<Filters, ApiError> {
    let mut filters = Filters::none();
    let mut appearances = Vec::new();
    for RawFilter { name, operator, values } in raw_filters {
        let filter = AdFilter::find(name).ok_or_else(|| lists::unknown::<L>(name))?;
        let condition = match filter {
            AdFilter::Tag(TagFilter::AdvertiserTag) => {
                let (include, tags) = read_tags(name, *operator, values)?;
                let domains = lists::domains_of(state, scope, &tags).await?;
                Condition::advertisers(include, domains)
            }
            AdFilter::Tag(TagFilter::KeywordTag) => {
                let (include, tags) = read_tags(name, *operator, values)?;
                let terms = lists::terms_of(state, scope, &tags).await?;
                Condition::terms(include, &terms)
            }
            AdFilter::Appearance(_) => {
                appearances.push(read_appearances(name, *operator, values)?);
                continue;
            }
            AdFilter::Field(field) => {
                Condition::read(field, *operator, values).map_err(|bad| ApiError::BadRequest(bad.to_string()))?
            }
        };
        filters.push(condition);
    }
    if !appearances.is_empty() {
        let domains = newcomers(state, scope, &filters, &appearances).await?;
        filters.push(Condition::domains(true, domains));
    }
    Ok(filters)
}

/// The domains that appeared in the period of the filters in each of these ways. An open period begins with the first ad, and ends now.
async fn newcomers(
    state: &ApiState,
    scope: &Scope,
    filters: &Filters,
    wanted: &[Vec<Appearance>],
) -> Result<Vec<String>, ApiError> {
    let (from, until) = filters.instants();
    let ends = (
        from.unwrap_or(DateTime::UNIX_EPOCH),
        until.unwrap_or_else(|| state.clock.now()),
    );
    let found = newcomers::list(&state.analytics, scope, filters, ends).await?;
    let appeared = found.into_iter().filter(|newcomer| {
        let way = newcomer.away.map_or(Appearance::New, |_| Appearance::Returning);
        wanted.iter().all(|ways| ways.contains(&way))
    });
    Ok(appeared.map(|newcomer| newcomer.domain).collect())
}

/// The ways of appearing that a filter allows; a `BadRequest` for an operator that does not include, and for other words.
fn read_appearances(name: &str, operator: Operator, values: &[String]) -> Result<Vec<Appearance>, ApiError> {
    let ways: Result<Vec<Appearance>, _> = values.iter().map(|value| value.parse()).collect();
    match (operator, ways) {
        (Operator::Inq | Operator::Contain, Ok(ways)) => Ok(ways),
        _ => Err(ApiError::BadRequest(format!("{name} takes inq with new or returning"))),
    }
}

/// Whether a filter by tags includes them (`inq`, `contain`) or excludes them (`nin`, `exclude`), and their ids; a `BadRequest` for `between` and for
/// ids that are no numbers.
fn read_tags(name: &str, operator: Operator, values: &[String]) -> Result<(bool, Vec<CategoryId>), ApiError> {
    let include = match operator {
        Operator::Inq | Operator::Contain => true,
        Operator::Nin | Operator::Exclude => false,
        Operator::Between => {
            return Err(ApiError::BadRequest(format!(
                "{name} takes inq, nin, contain or exclude, not 'between'"
            )));
        }
    };
    let tags: Result<Vec<CategoryId>, _> = values.iter().map(|value| value.parse()).collect();
    let tags = tags.map_err(|_| ApiError::BadRequest(format!("{name} takes ids of tags")))?;
    Ok((include, tags))
}

/// The time zone that the pair `timeZone` of a query names, else that of the settings; a `BadRequest` for an unknown name.
pub(crate) fn time_zone(state: &ApiState, pairs: &[(String, String)]) -> Result<chrono_tz::Tz, ApiError> {
    let Some((_, name)) = pairs.iter().find(|(key, _)| key == "timeZone") else {
        return Ok(state.settings.time_zone);
    };
    name.parse()
        .map_err(|_| ApiError::BadRequest("timeZone: a name such as Europe/Paris".to_owned()))
}
