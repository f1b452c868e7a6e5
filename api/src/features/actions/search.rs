//! `GET /actions`. Postgres drives: it narrows, orders and counts the actions; the store of ads adds the figures of the rows of one page.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use analytics::filter::{Condition as AdCondition, Filters};
use analytics::reports::advertisers;
use analytics::reports::page::{Direction, MOST_ROWS, Page};
use axum::Json;
use axum::extract::State;
use postgres::actions::list::{self, ActionRow, ActionsQuery, Sort};
use postgres::actions::{ActionKey, Condition, DateField};
use postgres::categories::{self, DomainTag};
use strum::VariantArray;
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterIn};
use vocabulary::{ActionId, ActionStatus, BrandId, Role, Scope};

use super::conditions;
use super::conditions::ActionFilter;
use super::search_query::{FIGURES, file_link, spell_out};
use super::story::{self, CaseStory};
use super::views::{ActionsMetaView, ActionsView, AdvertiserView, CaseFields, Surroundings};
use crate::access::Caller;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::lists::{self, FilterParams, LinksView, ListQuery, PageParams, SeenPartners};
use crate::state::ApiState;

const PATH: &str = "/api/actions";
const TO_DO_PATH: &str = "/api/actions/todo";
/// Domains that figures are asked for by name; of more, all that the filters leave are counted.
const MOST_NAMED: usize = 2_000;
/// Rows before a page from which on it is counted first how many there are, since the page may be nearer to the end.
const FAR: i64 = 10_000;
/// Advertisers counted for one answer; with more, it goes without figures.
const MOST_COUNTED: u32 = 500_000;

/// A page of the actions that the reader sees, with their figures, and how many there are in each status. A minus before the value of a filter
/// excludes it. More rows than may be answered at once are refused.
#[utoipa::path(
    get,
    path = "/actions",
    tag = "Actions",
    params(PageParams, ActionSortParams, FiguresParam, FilterParams<ActionFilter>),
    responses(
        (status = 200, body = ActionsView, description = "A page of actions"),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn search_actions(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<ActionsView>, ApiError> {
    let list_query = ListQuery::read(&spell_out(&pairs)?, &[])?;
    let search = read_query(&state, &caller.scope, &list_query).await?;
    let question = Question {
        path: PATH,
        pairs: &pairs,
        file: file_link(&pairs),
        page: list_query.page,
        has_figures: wants_figures(&pairs)?,
    };
    answer_search(&state, &caller, search, question).await
}

/// What is to do (decision D44), as pairs of the search for its file.
const TO_DO: [(&str, &str); 2] = [("unread[]", "only"), ("status[]", "-ignored")];

/// A page of the actions with unread mails that the reader sees: those with the most views first, among equals those whose mail waits longest. Takes
/// the filters of the search, and no order.
#[utoipa::path(
    get,
    path = "/actions/todo",
    tag = "Actions",
    params(PageParams, FiguresParam, FilterParams<ActionFilter>),
    responses(
        (status = 200, body = ActionsView, description = "A page of actions"),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_what_is_to_do(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<ActionsView>, ApiError> {
    let list_query = ListQuery::read(&spell_out(&pairs)?, &[])?;
    let mut search = read_query(&state, &caller.scope, &list_query).await?;
    search.query.sort = Sort::ToDo;
    search.query.conditions.extend([
        Condition::UnreadMails(true),
        Condition::Statuses(false, vec![ActionStatus::Ignored]),
    ]);
    let of_file = TO_DO.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let all: Vec<_> = pairs.iter().cloned().chain(of_file).collect();
    let question = Question {
        path: TO_DO_PATH,
        pairs: &pairs,
        file: file_link(&all),
        page: list_query.page,
        has_figures: wants_figures(&pairs)?,
    };
    answer_search(&state, &caller, search, question).await
}

/// A search as its reader asked for it.
struct Question<'a> {
    path: &'static str,
    pairs: &'a [(String, String)],
    /// The address of all its rows as a file.
    file: String,
    page: Page,
    /// Whether views and ads are counted, which takes the keys of all actions under the filters.
    has_figures: bool,
}

/// How many actions of these counts the conditions on the status leave.
fn total_of(query: &ActionsQuery, counts: &BTreeMap<ActionStatus, u64>) -> u64 {
    let is_allowed = |status| query.conditions.iter().all(|condition| condition.allows(status));
    let allowed = counts.iter().filter(|(status, _)| is_allowed(**status));
    allowed.map(|(_, actions)| actions).sum()
}

/// Answers a page of a search, with links to its neighbours and to its file.
async fn answer_search(
    state: &ApiState,
    caller: &Caller,
    ActionSearch { query, ads, places }: ActionSearch,
    question: Question<'_>,
) -> Result<Json<ActionsView>, ApiError> {
    let (postgres, scope) = (&state.postgres, &caller.scope);
    let (rows, counts, total) = if query.offset > FAR {
        let counts = list::count(postgres, scope, &query.conditions).await?;
        let total = total_of(&query, &counts);
        let rows = list::page(postgres, scope, &query, Some(total)).await?;
        (rows, counts, total)
    } else {
        let (rows, counts) = tokio::try_join!(
            list::page(postgres, scope, &query, None),
            list::count(postgres, scope, &query.conditions)
        )?;
        let total = total_of(&query, &counts);
        (rows, counts, total)
    };
    if question.page == Page::All && total > u64::from(MOST_ROWS) {
        return Err(ApiError::TooManyResults);
    }
    let (figures, totals) = if question.has_figures {
        let all = list::keys(postgres, scope, &query.conditions).await?;
        let figures = figures(state, scope, &all, &ads.and(&places)).await;
        let totals = figures.as_ref().map(|figures| Totals::from_figures(figures, &all));
        (figures, totals)
    } else {
        (None, None)
    };
    let roles = caller.user.known_roles();
    let sub_total = ActionStatus::VARIANTS
        .iter()
        .filter(|status| status.is_counted_for(&roles))
        .map(|status| (status.to_string(), counts.get(status).copied().unwrap_or_default()));
    Ok(Json(ActionsView {
        data: advertiser_views(state, caller, rows, figures.as_ref()).await?,
        meta: ActionsMetaView {
            page: lists::place(question.page, total).with_totals(totals.map(|totals| (totals.views, totals.ads))),
            sub_total: sub_total.collect(),
        },
        links: LinksView {
            export_csv: Some(question.file),
            ..lists::links(question.path, question.pairs, question.page, total)
        },
    }))
}

/// What was counted over all actions under the filters.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    views: u64,
    ads: u64,
}

impl Totals {
    /// The sums over the actions. The ads of an action are those of its domain, country and engine, on the terms of its brand, so two brands may
    /// count the same ads.
    fn from_figures(figures: &Figures, actions: &HashSet<ActionKey>) -> Self {
        let counted = actions.iter().filter_map(|key| figures.get(key));
        counted.fold(Self::default(), |totals, (views, ads)| Self {
            views: totals.views + views,
            ads: totals.ads + ads,
        })
    }
}

/// Views and distinct ads by action.
pub(super) type Figures = BTreeMap<ActionKey, (u64, u64)>;

/// The rows in the shape of the answer, in their order, with the tags that the caller sees (read from the store), their history, what comes next, the
/// links that the caller's roles allow, and their figures: null without `figures`, 0 for an action that has none.
pub(super) async fn advertiser_views(
    state: &ApiState,
    caller: &Caller,
    rows: Vec<ActionRow>,
    figures: Option<&Figures>,
) -> Result<Vec<AdvertiserView>, ApiError> {
    let around = surroundings(state, caller, &rows).await?;
    Ok(around.show_all(rows, figures))
}

/// Like [`advertiser_views`], without history, what comes next and the links that depend on it, which files do not have.
pub(super) async fn advertiser_lines(
    state: &ApiState,
    caller: &Caller,
    rows: Vec<ActionRow>,
    figures: Option<&Figures>,
) -> Result<Vec<AdvertiserView>, ApiError> {
    let around = RowSurroundings::read(state, caller, &rows).await?;
    Ok(around.show_all(rows, figures))
}

/// Like [`advertiser_views`], without history and figures, which files of cases do not have.
pub(super) async fn case_lines(
    state: &ApiState,
    caller: &Caller,
    rows: Vec<ActionRow>,
) -> Result<Vec<AdvertiserView>, ApiError> {
    let ids: Vec<ActionId> = rows.iter().map(|row| row.id).collect();
    let mut around = RowSurroundings::read(state, caller, &rows).await?;
    around.stories = story::read_next(state, caller, &ids).await?;
    Ok(around.show_all(rows, None))
}

/// What is shown of rows beside themselves.
pub(super) struct RowSurroundings {
    tags: BTreeMap<String, Vec<DomainTag>>,
    partners: SeenPartners,
    stories: BTreeMap<ActionId, CaseStory>,
    roles: Vec<Role>,
}

/// What is shown of these rows beside themselves, as far as the caller sees it.
pub(super) async fn surroundings(
    state: &ApiState,
    caller: &Caller,
    rows: &[ActionRow],
) -> Result<RowSurroundings, ApiError> {
    let ids: Vec<ActionId> = rows.iter().map(|row| row.id).collect();
    let mut around = RowSurroundings::read(state, caller, rows).await?;
    around.stories = story::read(state, caller, &ids).await?;
    Ok(around)
}

impl RowSurroundings {
    /// Tags and partners, without stories.
    async fn read(state: &ApiState, caller: &Caller, rows: &[ActionRow]) -> Result<Self, ApiError> {
        Ok(Self {
            tags: tags_of(state, caller, rows).await?,
            partners: SeenPartners::read(state, &caller.scope).await?,
            stories: BTreeMap::new(),
            roles: caller.user.known_roles(),
        })
    }

    /// A row with what belongs to it.
    pub(super) fn show(&mut self, row: ActionRow) -> CaseFields {
        let tags = row.domain.as_ref().and_then(|domain| self.tags.get(domain));
        let named = row.domain.as_deref().zip(row.brand);
        let around = Surroundings {
            tags: tags.map_or(&[], Vec::as_slice),
            partner: named.and_then(|(host, brand)| self.partners.kind_of(Some(brand), host)),
            story: self.stories.remove(&row.id).unwrap_or_default(),
        };
        CaseFields::new(row, around, &self.roles)
    }

    /// All rows, with their figures.
    fn show_all(mut self, rows: Vec<ActionRow>, figures: Option<&Figures>) -> Vec<AdvertiserView> {
        let shown = rows.into_iter().map(|row| {
            let of_row = |figures: &Figures| {
                key_of(&row)
                    .and_then(|key| figures.get(&key).copied())
                    .unwrap_or_default()
            };
            let counted = figures.map(of_row);
            let brand = row.brand_label.clone();
            AdvertiserView::new(self.show(row), brand, counted)
        });
        shown.collect()
    }
}

/// The tags that the caller sees on the domains of these actions, by domain; a domain without tags is absent.
pub(super) async fn tags_of(
    state: &ApiState,
    caller: &Caller,
    rows: &[ActionRow],
) -> Result<BTreeMap<String, Vec<DomainTag>>, ApiError> {
    let domains: Vec<String> = rows.iter().filter_map(|row| row.domain.clone()).collect();
    Ok(categories::tags_of_domains(&state.postgres, &caller.scope, &domains).await?)
}

/// Views and distinct ads under the filters `ads`, by action; an action without such ads has no entry, and other actions may have one. `None`, with a
/// warning in the log, when the store of ads fails or finds more than [`MOST_COUNTED`] advertisers: the work on actions goes on without it.
pub(super) async fn figures(
    state: &ApiState,
    scope: &Scope,
    actions: &HashSet<ActionKey>,
    ads: &Filters,
) -> Option<Figures> {
    if actions.is_empty() {
        return Some(Figures::new());
    }
    let brands: BTreeSet<BrandId> = actions.iter().map(|key| key.brand).collect();
    let mut filters = ads.clone();
    filters.push(AdCondition::of_brands(&brands.into_iter().collect::<Vec<_>>()));
    let domains: BTreeSet<&str> = actions.iter().map(|key| key.domain.as_str()).collect();
    if domains.len() <= MOST_NAMED {
        let domains = domains.into_iter().map(str::to_owned).collect();
        filters.push(AdCondition::domains(true, domains));
    }
    let found = advertisers::list(&state.analytics, scope, &filters, MOST_COUNTED).await;
    let found = found
        .inspect_err(|error| tracing::warn!(%error, "actions are listed without figures"))
        .ok()?;
    let figures = found.into_iter().map(|row| {
        let key = ActionKey {
            brand: row.brand,
            domain: row.domain,
            country: row.country,
            engine: row.engine,
        };
        (key, (row.nb_views, row.nb_ads))
    });
    Some(figures.collect())
}

/// What an action's ads are looked up by in the store of ads; `None` if its brand, domain, country or engine is not set.
pub(super) fn key_of(row: &ActionRow) -> Option<ActionKey> {
    Some(ActionKey {
        brand: row.brand?,
        domain: row.domain.clone()?,
        country: row.country.clone()?,
        engine: row.engine.clone()?,
    })
}

/// A search as it was requested.
pub(super) struct ActionSearch {
    pub(super) query: ActionsQuery,
    /// What its figures are counted under.
    pub(super) ads: Filters,
    /// The brands, countries and engines of its ads.
    pub(super) places: Filters,
}

/// Reads page, order and filters of a search for actions; all rows of a list are `MOST_ROWS` at most. Looks up what the filters need in the stores. A
/// `BadRequest` names a filter or column that cannot be read; `TooManyResults` when too many actions have a text that is looked for.
pub(super) async fn read_query(
    state: &ApiState,
    scope: &Scope,
    list_query: &ListQuery,
) -> Result<ActionSearch, ApiError> {
    let narrowed = conditions::read(state, scope, &list_query.filters).await?;
    let (sort, descending) = read_sort(list_query)?;
    let (limit, offset) = match list_query.page {
        Page::All => (i64::from(MOST_ROWS), 0),
        Page::Of { number, size } => (i64::from(size), i64::from(number - 1) * i64::from(size)),
    };
    let query = ActionsQuery {
        conditions: narrowed.conditions,
        sort,
        descending,
        limit,
        offset,
    };
    Ok(ActionSearch {
        query,
        ads: narrowed.ads,
        places: narrowed.places,
    })
}

/// Columns to order by beside the dates.
const SORTS: [(&str, Sort); 2] = [("priority", Sort::Priority), ("domain", Sort::Domain)];

/// The columns to order by, with the names that clients give them.
fn sorts() -> impl Iterator<Item = (String, Sort)> {
    let dates = DateField::VARIANTS
        .iter()
        .map(|date| (date.to_string(), Sort::Date(*date)));
    dates.chain(SORTS.map(|(name, sort)| (name.to_owned(), sort)))
}

/// The names of the columns to order by, as a sentence shows them.
fn sort_names() -> String {
    lists::in_words(sorts().map(|(name, _)| name), "or")
}

/// Whether views and ads are counted.
pub(super) struct FiguresParam;

impl IntoParams for FiguresParam {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let description = "`false`: without views and ads, which are null then; a list of many actions answers sooner. Default: true.";
        vec![lists::parameter(FIGURES, description, lists::flag())]
    }
}

/// Whether a search asks for views and ads; a `BadRequest` for anything but `true` and `false`.
pub(super) fn wants_figures(pairs: &[(String, String)]) -> Result<bool, ApiError> {
    let wish = pairs.iter().rev().find(|(key, _)| key == FIGURES);
    match wish.map(|(_, value)| value.as_str()) {
        None | Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(_) => Err(ApiError::BadRequest(format!("{FIGURES}: it is true or false"))),
    }
}

/// What orders a list of actions.
pub(super) struct ActionSortParams;

impl IntoParams for ActionSortParams {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let description = format!(
            "{}; a minus before it means downwards. Default: -priority.",
            sort_names()
        );
        vec![lists::parameter("sortBy", &description, lists::text())]
    }
}

/// The column to order by, and whether downwards; by priority, downwards, without one. A `BadRequest` for an unknown name.
fn read_sort(list_query: &ListQuery) -> Result<(Sort, bool), ApiError> {
    let Some(name) = list_query.sort.as_deref() else {
        return Ok((Sort::Priority, true));
    };
    let (_, sort) = sorts()
        .find(|(known, _)| known == name)
        .ok_or_else(|| ApiError::BadRequest(format!("sortBy: it is {}", sort_names())))?;
    Ok((sort, list_query.direction == Direction::Desc))
}
