//! Every route of every resource, from the lists of operations.

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::{MethodFilter, on};
use postgres::resources::ReachedFrom;
use vocabulary::resources::models::{RESOURCES, USER_ACCOUNT};
use vocabulary::resources::{Model, Relation};

use super::call::Call;
use super::operation::{Operation, RelationOperation};
use super::store::ReadConnection;
use super::{changes, export, flat, read, related, write};
use crate::failure::ApiError;
use crate::state::ApiState;

/// The routes of all operations of all resources and relations. `me` in place of an account's id means the caller's;
/// `GET /UserAccounts/me` alone is routed by the feature `session`.
pub(crate) fn routes() -> Router<ApiState> {
    let mut routes = Router::new();
    for model in RESOURCES {
        let Some(path) = model.path else { continue };
        for operation in Operation::of_model(model) {
            let answer =
                move |State(state): State<ApiState>, request: Request| answer(state, request, model, operation);
            routes = routes.route(
                &format!("/{path}{}", operation.path()),
                on(filter(&operation.method()), answer),
            );
            // Reading it is described on its own, because clients start with it.
            if model.name == USER_ACCOUNT.name && operation.path() == "/{id}" && operation != Operation::FindById {
                routes = routes.route(&format!("/{path}/me"), on(filter(&operation.method()), answer));
            }
        }
        for relation in model.relations {
            for operation in RelationOperation::of_relation(relation) {
                let answer = move |State(state): State<ApiState>, request: Request| {
                    answer_related(state, request, model, relation, operation)
                };
                let path = format!("/{path}/{{id}}/{}{}", relation.name, operation.path());
                routes = routes.route(&path, on(filter(&operation.method()), answer));
            }
        }
    }
    routes
}

/// The filter of routes for a method of an operation.
fn filter(method: &axum::http::Method) -> MethodFilter {
    MethodFilter::try_from(method.clone()).unwrap_or(MethodFilter::GET)
}

/// Answers one operation on a model: finds the caller, checks the right, and calls the function for the operation. Fails without a valid session (for
/// a download, without a session or export ticket), and with `Forbidden` without the right.
async fn answer(
    state: ApiState,
    request: Request,
    model: &'static Model,
    operation: Operation,
) -> Result<Response, ApiError> {
    let is_flat = operation == Operation::Find && flat::is_wanted(model, request.uri());
    let (call, connection) = match operation {
        _ if is_flat => (Call::of_download(state, request).await?, None),
        Operation::Export => (Call::of_download(state, request).await?, None),
        _ => Call::read_on(state, request).await?,
    };
    call.check_rights(model, operation.permissions())?;
    let call_ref = &call;
    // All others take connections as they need them.
    let connection = connection.filter(|_| operation.only_reads_rows());
    let reader = || ReadConnection::on(call_ref, connection);
    match operation {
        Operation::Find if is_flat => Box::pin(flat::rows(call, model)).await,
        Operation::Find => read::find(&mut reader(), model, ReachedFrom::Anywhere).await,
        Operation::Create => write::create(call_ref, model).await,
        Operation::PatchOrCreate => write::patch_or_create(call_ref, model).await,
        Operation::PutOrCreate | Operation::ReplaceOrCreate => write::replace_or_create(call_ref, model).await,
        Operation::Count => read::count(call_ref, model, ReachedFrom::Anywhere).await,
        Operation::FindOne => read::find_one(&mut reader(), model).await,
        Operation::FindRequest => read::find_requested(&mut reader(), model).await,
        Operation::Export => Box::pin(export::rows(call, model)).await,
        Operation::UpdateAll => write::update_all(call_ref, model).await,
        Operation::UpsertWithWhere => write::upsert_with_where(call_ref, model).await,
        Operation::ReadChanges | Operation::PostChanges => changes::stream(call, model).await,
        Operation::FindById => {
            let mut reader = reader();
            let state = reader.shown_state(model).await?;
            Ok(state.on(read::find_by_id(&mut reader, model, &call.id(model)?).await?))
        }
        Operation::Head => read::head(call_ref, model, &call.id(model)?).await,
        Operation::Exists => read::exists(call_ref, model, &call.id(model)?).await,
        Operation::DeleteById => write::delete_by_id(call_ref, model, &call.id(model)?).await,
        Operation::PatchById => write::patch_by_id(call_ref, model, &call.id(model)?).await,
        Operation::PutById | Operation::Replace => write::replace_by_id(call_ref, model, &call.id(model)?).await,
        Operation::DeleteAll => write::delete_all(call_ref, model).await,
    }
}

/// Answers one operation on the rows related to a row of a model, as [`related::answer`] does; fails without a valid session.
async fn answer_related(
    state: ApiState,
    request: Request,
    model: &'static Model,
    relation: &'static Relation,
    operation: RelationOperation,
) -> Result<Response, ApiError> {
    let call = Call::read(state, request).await?;
    related::answer(&call, model, relation, operation).await
}
