//! `GET /actions/searchAll`: the list as a file.

use axum::extract::State;
use axum::response::Response;
use futures::{TryStreamExt, stream};
use postgres::actions::list;
use url::form_urlencoded;

use super::conditions::ActionFilter;
use super::search::{ActionSearch, ActionSortParams, figures, read_query, seen, views};
use super::search_query::spell_out;
use crate::access::Downloader;
use crate::coverage;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::language::{EnglishAndFrench, Language};
use crate::list_file::{self, FileParams};
use crate::lists::{FilterParams, ListQuery};
use crate::state::ApiState;

const PATH: &str = "/api/actions/searchAll";
/// Rows looked up at a time: bounds what a download needs of memory.
const AT_ONCE: usize = 1_000;
/// In the order of [`super::views::AdvertiserView::cells`].
const TITLES: [EnglishAndFrench; 13] = [
    ("Engine", "Moteur"),
    ("Domain", "Domaine"),
    ("Master domain", "Domaine principal"),
    ("Brand", "Marque"),
    ("Created", "Création"),
    ("Countries", "Pays"),
    ("Updated", "Mise à jour"),
    ("Last view", "Dernière vue"),
    ("Status", "Statut"),
    ("Last status", "Dernier statut"),
    ("Ads", "Annonces"),
    ("Views", "Vues"),
    ("Tags", "Tags"),
];

/// The file of a search, without its page.
pub(super) fn link(pairs: &[(String, String)]) -> String {
    let kept = pairs
        .iter()
        .filter(|(key, _)| !key.starts_with("page") && !["perPage", "noPaging", "csv"].contains(&key.as_str()));
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("noPaging", "true")
        .append_pair("csv", "true")
        .extend_pairs(kept)
        .finish();
    format!("{PATH}?{query}")
}

/// The same actions as a file: every page of them, in the order asked for.
#[utoipa::path(
    get,
    path = "/actions/searchAll",
    tag = "Actions",
    params(FileParams, ActionSortParams, FilterParams<ActionFilter>),
    responses(
        (status = 200, body = String, content_type = "text/csv", description = "`advertisers-YYYY-MM-DD.csv`, or `.xlsx`"),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session, or a ticket that was used, is too old or is for another link"),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn export_actions(
    State(state): State<ApiState>,
    Downloader(caller): Downloader,
    Pairs(pairs): Pairs,
) -> Result<Response, ApiError> {
    let asked = ListQuery::read(&spell_out(&pairs)?, &[])?;
    let ActionSearch { mut query, ads, places } = read_query(&state, &caller.scope, &asked).await?;
    let (scope, filters) = (caller.scope.clone(), ads.and(&places));
    let end = coverage::last_rows(state.clone(), scope, filters, Language::from_query(&pairs));
    query.offset = 0;
    query.limit = i64::from(state.settings.monitoring.most_exported_rows) + 1;
    let ids = list::ids(&state.postgres, &caller.scope, &query).await?;
    let chunks: Vec<_> = ids.chunks(AT_ONCE).map(<[_]>::to_vec).collect();
    let read = state.clone();
    let language = Language::from_query(&pairs);
    let rows = stream::iter(chunks.into_iter().map(Ok::<_, ApiError>)).and_then(move |ids| {
        let (state, caller, ads) = (read.clone(), caller.clone(), ads.clone());
        async move {
            let rows = list::by_ids(&state.postgres, &caller.scope, &ids).await?;
            let of_rows = rows.iter().filter_map(seen).collect();
            let figures = figures(&state, &caller.scope, &of_rows, &ads).await;
            let views = views(&state, &caller, rows, figures.as_ref()).await?;
            let cells = views
                .into_iter()
                .map(move |view| Ok::<_, ApiError>(view.cells(language)));
            Ok::<_, ApiError>(stream::iter(cells))
        }
    });
    Box::pin(list_file::download(
        &state,
        &pairs,
        "advertisers",
        &TITLES,
        rows.try_flatten(),
        end,
    ))
    .await
}
