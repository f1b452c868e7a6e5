//! The people on the pages of cases (`/actions/presence`), those that write among them. Nothing is locked, and nothing of it is stored.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use coordination::Presence;
use postgres::actions::presence;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::{ActionId, UserId};

use crate::access::Caller;
use crate::extract::{self, Pairs, Query};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// A page that does not say so again is closed after this: pages do every 20 seconds.
const LOOKS_FOR: Duration = Duration::from_mins(1);
/// Whoever typed within this time writes: longer than a page takes to ask again, so that it hears of it.
const WRITES_FOR: Duration = Duration::from_secs(30);
/// Cases of one question: those of the largest page of a list.
const MOST_CASES: usize = 500;
/// Characters of what a page calls itself.
const LONGEST_PAGE: usize = 36;

/// The operations on presence.
pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(show_presence, note_presence))
}

/// The case that a page shows.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct OfPage {
    /// The case that it shows.
    #[serde(rename = "actionID")]
    #[param(rename = "actionID")]
    action_id: i32,
}

/// What somebody does on the page of a case.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Doing {
    Looks,
    Writes,
    Leaves,
}

/// What the caller does on a page.
#[derive(Deserialize, ToSchema)]
struct PresenceBody {
    /// What the page calls itself: up to 36 letters, digits and hyphens, made up by it.
    page: String,
    doing: Doing,
}

/// The people on the page of a case.
#[derive(Serialize, ToSchema)]
struct PresenceAnswer {
    data: PresentView,
}

/// The others on the page of a case, as far as the caller may know of them.
#[derive(Serialize, ToSchema)]
struct PresentView {
    people: Vec<PresentPersonView>,
    /// Whether the caller writes in this case on another page, too.
    elsewhere: bool,
}

/// Somebody on the page of a case.
#[derive(Serialize, ToSchema)]
struct PresentPersonView {
    id: i32,
    name: String,
    /// Whether that person writes an e-mail.
    writes: bool,
}

/// The people on the pages of cases.
#[derive(Serialize, ToSchema)]
struct CasesPresenceView {
    /// Cases with somebody else alone.
    data: Vec<CasePresenceView>,
}

/// The others on the page of one case.
#[derive(Serialize, ToSchema)]
struct CasePresenceView {
    #[serde(rename = "ID")]
    id: i32,
    people: Vec<PresentPersonView>,
}

/// Notes what the caller does on the page of a case, for a minute, and says who else is there: everybody for staff, and for users of a company its own people.
/// An administrator in somebody else's name is not noted.
#[utoipa::path(
    post, path = "/actions/presence", tag = "Actions", params(OfPage), request_body = PresenceBody,
    responses(
        (status = 200, body = PresenceAnswer),
        (status = 400, body = FailureBody, description = "A page with another name"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "No such case within sight"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn note_presence(
    State(state): State<ApiState>,
    caller: Caller,
    Query(of): Query<OfPage>,
    extract::Json(body): extract::Json<PresenceBody>,
) -> Result<Json<PresenceAnswer>, ApiError> {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || sign == '-';
    if body.page.is_empty() || body.page.len() > LONGEST_PAGE || !body.page.chars().all(is_plain) {
        return Err(ApiError::BadRequest(format!(
            "page is made of up to {LONGEST_PAGE} letters, digits and hyphens"
        )));
    }
    let action = ActionId(of.action_id);
    if presence::visible(&state.postgres, &caller.scope, &[action])
        .await?
        .is_empty()
    {
        return Err(ApiError::NoRow(format!("Unknown \"Action\" id \"{action}\".")));
    }
    let member = format!("{}.{}", caller.user.id, body.page);
    let rooms = Rooms::from_state(&state);
    if caller.session.impersonated_by.is_none() {
        rooms.note(action, &member, body.doing).await;
    }
    let present = rooms.present(&[action]).await.pop().unwrap_or_default();
    let elsewhere = present
        .writers
        .iter()
        .any(|one| user_of(one) == Some(caller.user.id) && *one != member);
    let mut people = named(&state, &caller, std::slice::from_ref(&present)).await?;
    Ok(Json(PresenceAnswer {
        data: PresentView {
            people: people.pop().unwrap_or_default(),
            elsewhere,
        },
    }))
}

/// The people on the pages of some cases, 500 at most, that are not the caller.
#[utoipa::path(
    get, path = "/actions/presence", tag = "Actions",
    params(("actionID" = Vec<i32>, Query, description = "The cases")),
    responses(
        (status = 200, body = CasesPresenceView),
        (status = 400, body = FailureBody, description = "No number, or too many"),
        (status = 401, body = FailureBody, description = "No valid session"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn show_presence(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<CasesPresenceView>, ApiError> {
    let wrong = || ApiError::BadRequest(format!("actionID: the numbers of up to {MOST_CASES} cases"));
    let asked: Vec<ActionId> = pairs
        .iter()
        .filter(|(name, _)| matches!(name.as_str(), "actionID" | "actionID[]"))
        .map(|(_, id)| id.parse().map(ActionId).map_err(|_| wrong()))
        .collect::<Result<_, _>>()?;
    if asked.len() > MOST_CASES {
        return Err(wrong());
    }
    let cases = presence::visible(&state.postgres, &caller.scope, &asked).await?;
    let present = Rooms::from_state(&state).present(&cases).await;
    let people = named(&state, &caller, &present).await?;
    let data = cases.into_iter().zip(people);
    Ok(Json(CasesPresenceView {
        data: data
            .filter(|(_, people)| !people.is_empty())
            .map(|(case, people)| CasePresenceView { id: case.0, people })
            .collect(),
    }))
}

/// The pages of cases, and those on which somebody writes.
struct Rooms {
    looking: Presence,
    writing: Presence,
}

/// The members of a case: pages by user.
#[derive(Default)]
struct Members {
    lookers: Vec<String>,
    writers: Vec<String>,
}

impl Rooms {
    fn from_state(state: &ApiState) -> Self {
        Self {
            looking: Presence::new(&state.coordination, "case", LOOKS_FOR),
            writing: Presence::new(&state.coordination, "case-writing", WRITES_FOR),
        }
    }

    async fn note(&self, action: ActionId, member: &str, doing: Doing) {
        let room = action.to_string();
        match doing {
            Doing::Looks => drop(self.looking.enter(&room, member).await),
            Doing::Writes => drop(self.writing.enter(&room, member).await),
            Doing::Leaves => {
                self.looking.leave(&room, member).await;
                self.writing.leave(&room, member).await;
            }
        }
    }

    /// The members of these cases, in their order.
    async fn present(&self, cases: &[ActionId]) -> Vec<Members> {
        let rooms: Vec<String> = cases.iter().map(ActionId::to_string).collect();
        let (lookers, writers) = (self.looking.members(&rooms).await, self.writing.members(&rooms).await);
        let both = lookers.into_iter().zip(writers);
        both.map(|(lookers, writers)| Members { lookers, writers }).collect()
    }
}

/// The user of a member.
fn user_of(member: &str) -> Option<UserId> {
    member.split_once('.')?.0.parse().ok().map(UserId)
}

/// The people of each case that the caller may know of, by name, without the caller.
async fn named(state: &ApiState, caller: &Caller, cases: &[Members]) -> Result<Vec<Vec<PresentPersonView>>, ApiError> {
    let found: Vec<BTreeMap<UserId, bool>> = cases
        .iter()
        .map(|members| {
            let lookers = members.lookers.iter().map(|member| (user_of(member), false));
            let writers = members.writers.iter().map(|member| (user_of(member), true));
            // A person who looks and writes is said to write.
            let all = lookers
                .chain(writers)
                .filter_map(|(user, writes)| Some((user?, writes)));
            all.filter(|(user, _)| *user != caller.user.id).collect()
        })
        .collect();
    let mut users: Vec<UserId> = found.iter().flat_map(|people| people.keys().copied()).collect();
    users.sort_unstable();
    users.dedup();
    let names = if users.is_empty() {
        Vec::new()
    } else {
        presence::names(&state.postgres, &caller.scope, &users).await?
    };
    let views = found.into_iter().map(|people| {
        let known = names.iter().filter_map(|(user, name)| {
            Some(PresentPersonView {
                id: user.0,
                name: name.clone(),
                writes: *people.get(user)?,
            })
        });
        known.collect()
    });
    Ok(views.collect())
}
