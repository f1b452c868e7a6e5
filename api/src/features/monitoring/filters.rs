//! Turns filters into conditions; tags become the domains and terms that carry them (decision D77).

use analytics::filter::{Condition, Field, Filters, Operator};
use strum::VariantArray;
use vocabulary::{CategoryId, Scope};

use crate::failure::ApiError;
use crate::lists::{self, Filter, FilterForm, ListFilters, RawFilter, TagFilter};
use crate::state::ApiState;

/// A filter of the lists of ads.
#[derive(Clone, Copy, Debug)]
pub(super) enum AdFilter {
    Field(Field),
    Tag(TagFilter),
}

impl ListFilters for AdFilter {
    fn all() -> Vec<Self> {
        let fields = Field::VARIANTS.iter().copied().map(Self::Field);
        fields
            .chain(TagFilter::VARIANTS.iter().copied().map(Self::Tag))
            .collect()
    }

    /// A date takes a range alone, every other ordered field values or a range, the rest values alone.
    fn describe(&self) -> Filter {
        match self {
            Self::Field(field @ Field::Date) => Filter::new(field, FilterForm::Range),
            Self::Field(field) if field.is_ordered() => Filter::new(field, FilterForm::ValuesOrRange),
            Self::Field(field) => Filter::new(field, FilterForm::Values),
            Self::Tag(tag) => Filter::new(tag, FilterForm::Values),
        }
    }
}

/// Reads the filters of a list of ads; a tag becomes the domains or terms that carry it. A `BadRequest` names a filter that is unknown or cannot be
/// read.
pub(super) async fn read(state: &ApiState, scope: &Scope, raw_filters: &[RawFilter]) -> Result<Filters, ApiError> {
    read_of::<AdFilter>(state, scope, raw_filters).await
}

/// Like [`read`], for a list that has filters of its own beside these: the refusal of an unknown one names all of `L`. Filters that only `L` has are
/// unknown here, too: rewrite them before.
pub(super) async fn read_of<L: ListFilters>(
    state: &ApiState,
    scope: &Scope,
    raw_filters: &[RawFilter],
) -> Result<Filters, ApiError> {
    let mut filters = Filters::none();
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
            AdFilter::Field(field) => {
                Condition::read(field, *operator, values).map_err(|bad| ApiError::BadRequest(bad.to_string()))?
            }
        };
        filters.push(condition);
    }
    Ok(filters)
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
