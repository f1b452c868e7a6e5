//! The query parameters of lists. What narrows a list is defined once, by its [`ListFilters`]: filters are read by these names, the
//! OpenAPI document describes them, and the refusal of an unknown one lists them.

use std::fmt::Display;
use std::marker::PhantomData;

use analytics::filter::Operator;
use analytics::reports::page::{Direction, MOST_ROWS};
use strum::{EnumMessage, VariantArray};
use utoipa::IntoParams;
use utoipa::openapi::RefOr;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};

use super::query::PAGE_SIZE;
use crate::failure::ApiError;

/// The filters of a list: an enum with one variant, or one wrapped variant, a filter.
pub(crate) trait ListFilters: Sized {
    /// Every filter, in the order of the document.
    fn all() -> Vec<Self>;

    /// The filter as clients write it.
    fn describe(&self) -> Filter;

    /// The filter with this name, or one of its other names; `None` when the list has no such filter.
    fn find(name: &str) -> Option<Self> {
        Self::all()
            .into_iter()
            .find(|filter| filter.describe().names.contains(&name))
    }
}

/// A filter of a list as clients write it.
pub(crate) struct Filter {
    /// Its usual name.
    name: String,
    /// Every name it is accepted by.
    names: &'static [&'static str],
    /// What it narrows.
    description: &'static str,
    form: FilterForm,
}

/// What a filter takes in an address under its plain name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilterForm {
    /// Values, one of which must be equal.
    Values,
    /// Values, or a text to look for as `[regexp]`.
    Text,
    /// `[start]` and `[end]`, both included.
    Range,
    /// Values or a range.
    ValuesOrRange,
}

impl Filter {
    /// The filter of an enum's variant: named as strum names the variant, accepted by all its serializations, and described by its doc comment.
    pub(crate) fn new<V: Display + EnumMessage>(variant: &V, form: FilterForm) -> Self {
        Self {
            name: variant.to_string(),
            names: variant.get_serializations(),
            description: variant.get_documentation().unwrap_or_default(),
            form,
        }
    }

    /// The query parameters that the filter takes, for the OpenAPI document: one for each of its names, plain or with a suffix such as `[start]`.
    fn parameters(&self) -> impl Iterator<Item = Parameter> {
        let suffixes: &[(&str, &str)] = match self.form {
            FilterForm::Values => &[("", "")],
            FilterForm::Text => &[("", ""), ("[regexp]", " A text to look for, as in /shop/i.")],
            FilterForm::Range => &[("[start]", " At least."), ("[end]", " At most.")],
            FilterForm::ValuesOrRange => &[("", ""), ("[start]", " At least."), ("[end]", " At most.")],
        };
        let description = self.description;
        self.names.iter().flat_map(move |name| {
            suffixes.iter().map(move |(suffix, takes)| {
                let schema = if suffix.is_empty() { texts() } else { text() };
                parameter(&format!("{name}{suffix}"), &format!("{description}{takes}"), schema)
            })
        })
    }
}

/// The `BadRequest` for a filter that the list `L` does not have, with the names of those it has.
pub(crate) fn unknown<L: ListFilters>(name: &str) -> ApiError {
    const SHOWN: usize = 60;
    let name: String = name.chars().take(SHOWN).collect();
    let names = in_words(L::all().iter().map(|filter| filter.describe().name), "and");
    ApiError::BadRequest(format!("filters: there is no filter '{name}'; the filters are {names}"))
}

/// Reads the name of the column to order by; the default column for `None`, a `BadRequest` for an unknown name.
pub(crate) fn read_sort<S: Default + std::str::FromStr + Display + VariantArray>(
    name: Option<&str>,
) -> Result<S, ApiError> {
    let Some(name) = name else {
        return Ok(S::default());
    };
    name.parse().map_err(|_| {
        let columns = in_words(S::VARIANTS.iter().map(ToString::to_string), "and");
        ApiError::BadRequest(format!("sort[by]: the columns are {columns}"))
    })
}

/// Joins words as in `a, b and c`, with `last` before the last one; empty for none.
pub(crate) fn in_words(words: impl IntoIterator<Item = String>, last: &str) -> String {
    let mut words: Vec<String> = words.into_iter().collect();
    match words.pop() {
        Some(end) if !words.is_empty() => format!("{} {last} {end}", words.join(", ")),
        end => end.unwrap_or_default(),
    }
}

/// Which part of a list is wanted.
pub(crate) struct PageParams;

impl IntoParams for PageParams {
    /// The query parameters `page[size]` and `page[number]`.
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![
            parameter(
                "page[size]",
                &format!("Rows a page, {PAGE_SIZE} by default; 0 asks for all of up to {MOST_ROWS}."),
                number(),
            ),
            parameter("page[number]", "Number of the page, from 1.", number()),
        ]
    }
}

/// What orders a list.
pub(crate) struct SortParams<S>(PhantomData<S>);

impl<S: Default + Display + VariantArray> IntoParams for SortParams<S> {
    /// The query parameters `sort[by]` and `sort[direction]`, as text; their descriptions name the allowed values (for `sort[by]` those of `S`) and
    /// the default.
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let columns = in_words(S::VARIANTS.iter().map(ToString::to_string), "or");
        let directions = in_words(Direction::VARIANTS.iter().map(ToString::to_string), "or");
        vec![
            parameter("sort[by]", &format!("{columns}; {} by default.", S::default()), text()),
            parameter(
                "sort[direction]",
                &format!("{directions}; {} by default.", Direction::default()),
                text(),
            ),
        ]
    }
}

/// What narrows a list.
pub(crate) struct FilterParams<L>(PhantomData<L>);

impl<L: ListFilters> IntoParams for FilterParams<L> {
    /// The query parameters of all filters of `L` by their plain names, then `filters[name][operator]` and `filter`, which take the same filters, by
    /// operator and as one JSON object.
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let operators = in_words(Operator::VARIANTS.iter().map(ToString::to_string), "or");
        let filters: Vec<Filter> = L::all().iter().map(L::describe).collect();
        let mut params: Vec<Parameter> = filters.iter().flat_map(Filter::parameters).collect();
        params.push(parameter(
            "filters[name][operator]",
            &format!(
                "The same filters by an operator: {operators}. [] after it takes one of several values; between takes [start] and [end]."
            ),
            text(),
        ));
        params.push(parameter("filter", "The same filters as one JSON object.", text()));
        params
    }
}

/// Describes an optional query parameter for the OpenAPI document.
pub(crate) fn parameter(name: &str, description: &str, schema: Schema) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .description(Some(description))
        .schema(Some(schema))
        .build()
}

pub(crate) fn text() -> Schema {
    ObjectBuilder::new().schema_type(Type::String).into()
}

pub(crate) fn flag() -> Schema {
    ObjectBuilder::new().schema_type(Type::Boolean).into()
}

/// The schema of a list of texts.
fn texts() -> Schema {
    ArrayBuilder::new().items(RefOr::T(text())).into()
}

/// The schema of an integer from 0.
fn number() -> Schema {
    ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0)).into()
}
