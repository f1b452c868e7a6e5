//! `GET /actions/searchAll`: the list as a file.

use axum::extract::State;
use axum::response::Response;
use futures::stream;
use postgres::actions::list;

use super::conditions::ActionFilter;
use super::search::{
    ActionSearch, ActionSortParams, FiguresParam, advertiser_lines, case_lines, figures, key_of, read_query,
    wants_figures,
};
use super::search_query::spell_out;
use crate::access::Downloader;
use crate::coverage;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::list_file::{self, FileParams};
use crate::lists::{FilterParams, ListQuery};
use crate::state::ApiState;

/// Keys of the titles, in the order of [`super::views::AdvertiserView::cells`].
const ADVERTISER_TITLES: [&str; 14] = [
    "advertisers:column.engine",
    "monitoring:column.domain",
    "advertisers:filter.master",
    "monitoring:column.brand",
    "advertisers:column.createdDate",
    "monitoring:column.countries",
    "advertisers:column.updatedDate",
    "advertisers:column.lastView",
    "advertisers:column.status",
    "advertisers:column.lastStatusDate",
    "monitoring:column.nbAds",
    "monitoring:column.nbViews",
    "monitoring:column.tags",
    "monitoring:column.partner",
];

/// Keys of the titles, in the order of [`super::views::AdvertiserView::case_cells`].
const CASE_TITLES: [&str; 16] = [
    "monitoring:column.domain",
    "monitoring:column.brand",
    "advertisers:column.engine",
    "monitoring:column.countries",
    "advertisers:column.status",
    "advertisers:column.lastStatusDate",
    "files:case.next",
    "files:case.nextDate",
    "files:case.received",
    "files:case.sent",
    "files:case.reminders",
    "files:case.unread",
    "advertisers:column.createdDate",
    "advertisers:column.lastView",
    "monitoring:column.tags",
    "monitoring:column.partner",
];

/// The actions of the same search as a file: every page of them, in the order asked for. With views and ads it is the file of advertisers, which ends
/// with how many of the planned captures were valid; without them, of cases, with what comes next and the counts of their mails. More rows than the
/// settings allow break the download off.
#[utoipa::path(
    get,
    path = "/actions/searchAll",
    tag = "Actions",
    params(FileParams, ActionSortParams, FiguresParam, FilterParams<ActionFilter>),
    responses(
        (status = 200, body = String, content_type = "text/csv", description = "`advertisers-YYYY-MM-DD.csv`, without figures `actions-YYYY-MM-DD.csv`, or `.xlsx`"),
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
    let has_figures = wants_figures(&pairs)?;
    let list_query = ListQuery::read(&spell_out(&pairs)?, &[])?;
    let ActionSearch { mut query, ads, places } = read_query(&state, &caller.scope, &list_query).await?;
    let language = list_file::language(&pairs);
    query.offset = 0;
    query.limit = i64::from(state.settings.monitoring.most_exported_rows) + 1;
    let ids = list::ids(&state.postgres, &caller.scope, &query).await?;
    let ids = stream::iter(ids.into_iter().map(Ok::<_, ApiError>));
    let reader = state.clone();
    if !has_figures {
        let rows = list_file::look_up_cells(ids, move |ids| {
            let (state, caller) = (reader.clone(), caller.clone());
            async move {
                let rows = list::by_ids(&state.postgres, &caller.scope, &ids).await?;
                let views = case_lines(&state, &caller, rows).await?;
                Ok(views.into_iter().map(|view| view.case_cells(language)).collect())
            }
        });
        let titles = list_file::titles(&pairs, &CASE_TITLES);
        return Box::pin(list_file::download(
            &state,
            &pairs,
            "actions",
            titles,
            rows,
            stream::empty(),
        ))
        .await;
    }
    let end = coverage::last_rows(&state, &caller.scope, ads.and(&places), language);
    let rows = list_file::look_up_cells(ids, move |ids| {
        let (state, caller, ads) = (reader.clone(), caller.clone(), ads.clone());
        async move {
            let rows = list::by_ids(&state.postgres, &caller.scope, &ids).await?;
            let of_rows = rows.iter().filter_map(key_of).collect();
            let figures = figures(&state, &caller.scope, &of_rows, &ads).await;
            let views = advertiser_lines(&state, &caller, rows, figures.as_ref()).await?;
            Ok(views.into_iter().map(|view| view.cells(language)).collect())
        }
    });
    let titles = list_file::titles(&pairs, &ADVERTISER_TITLES);
    Box::pin(list_file::download(&state, &pairs, "advertisers", titles, rows, end)).await
}
