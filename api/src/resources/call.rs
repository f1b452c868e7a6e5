//! A request as the resource engine sees it: its caller, query, path and body; and ids as clients write them.

use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum_extra::extract::CookieJar;
use postgres::as_of::{AsOf, AsOfError};
use postgres::tokens::Token;
use postgres::users::User;
use serde_json::{Value as Json, json};
use uuid::Uuid;
use vocabulary::Role;
use vocabulary::resources::models::{ACCESS_TOKEN, ROLE, ROLE_MAPPING, USER_ACCOUNT};
use vocabulary::resources::rights::Permission;
use vocabulary::resources::{Kind, Model, Value, brackets};

use super::body;
use crate::access::{Caller, Downloader, tokens};
use crate::failure::ApiError;
use crate::state::ApiState;

/// The header by which a client names the operation that a call belongs to, with a UUID of its own: what all its calls changed is undone as one.
const OPERATION_HEADER: &str = "x-operation";
/// The header by which a client says what it saw of the rows that a call changes: the `X-As-Of` of the answer that it has them from.
pub(super) const SEEN_HEADER: &str = "X-Seen-At";

/// A request of a signed-in user.
pub(crate) struct Call {
    pub(super) state: ApiState,
    pub(super) caller: Caller,
    pub(super) pairs: Vec<(String, String)>,
    params: Vec<(String, String)>,
    headers: HeaderMap,
    body: axum::body::Bytes,
}

impl Call {
    /// Finds the signed-in caller and reads the query, path and whole body of a request. Fails without a valid session, and with `TooLarge` over the
    /// limit of the settings.
    pub(crate) async fn read(state: ApiState, request: Request) -> Result<Self, ApiError> {
        Self::read_on(state, request).await.map(|(call, _)| call)
    }

    /// Like [`Self::read`], and hands on the database connection that the caller was found on when the request has no body. Take no second connection
    /// while holding it.
    pub(super) async fn read_on(
        state: ApiState,
        request: Request,
    ) -> Result<(Self, Option<postgres::PooledConnection>), ApiError> {
        let (parts, body) = request.into_parts();
        let (caller, connection) = Caller::signed_in(&parts, &state).await?;
        let connection = body.is_end_stream().then_some(connection);
        let call = Self::from_parts(state, parts, body, caller).await?;
        Ok((call, connection))
    }

    /// A call on behalf of a user who just signed in, with an empty query, path and body.
    pub(super) fn of_session(state: ApiState, token: Token, user: User) -> Self {
        Self::without_request(state, Caller::of_session(token, user))
    }

    /// A call on behalf of a caller, with an empty query, path and body.
    pub(super) fn without_request(state: ApiState, caller: Caller) -> Self {
        Self {
            caller,
            pairs: Vec::new(),
            params: Vec::new(),
            headers: HeaderMap::new(),
            body: axum::body::Bytes::new(),
            state,
        }
    }

    /// A call on behalf of a caller with these headers, and an empty query, path and body.
    pub(super) fn with_headers(state: ApiState, caller: Caller, headers: HeaderMap) -> Self {
        Self {
            headers,
            ..Self::without_request(state, caller)
        }
    }

    /// Like [`Self::read`], for a download: an export ticket in the query takes the place of a session.
    pub(super) async fn of_download(state: ApiState, request: Request) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let Downloader(caller) = Downloader::from_request_parts(&mut parts, &state).await?;
        Self::from_parts(state, parts, body, caller).await
    }

    /// Reads the rest of a request whose caller is known; a path or query that cannot be read is an error. The body is read whole: over
    /// `max_body_bytes` it is `TooLarge`.
    async fn from_parts(state: ApiState, mut parts: Parts, body: Body, caller: Caller) -> Result<Self, ApiError> {
        let params = RawPathParams::from_request_parts(&mut parts, &state)
            .await
            .map_err(|_| ApiError::Uri(parts.uri.path().to_owned()))?;
        let params = params
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let body = to_bytes(body, state.settings.api.max_body_bytes)
            .await
            .map_err(|_| ApiError::TooLarge)?;
        Ok(Self {
            pairs: brackets::pairs(parts.uri.query().unwrap_or_default())?,
            caller,
            params,
            headers: parts.headers,
            body,
            state,
        })
    }

    /// The signed-in user.
    pub(crate) const fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The value of a cookie of the request; `None` when it carries none of this name.
    pub(super) fn cookie(&self, name: &str) -> Option<String> {
        let jar = CookieJar::from_headers(&self.headers);
        jar.get(name).map(|cookie| cookie.value().to_owned())
    }

    /// The value of a header of the request; `None` when it has none of this name, or none that is text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The name that the client gave the operation of this call; `None` without one. A `BadRequest` for what is no UUID.
    pub(super) fn operation(&self) -> Result<Option<Uuid>, ApiError> {
        let parse = |text: &str| {
            let unfit = || ApiError::BadRequest(format!("{OPERATION_HEADER} is no UUID."));
            text.parse::<Uuid>().map_err(|_| unfit())
        };
        self.header(OPERATION_HEADER).map(parse).transpose()
    }

    /// What the client saw of the rows that this call changes; `None` where it does not say. A `BadRequest` for what no answer said.
    pub(super) fn seen(&self) -> Result<Option<AsOf>, ApiError> {
        let unfit = |error: AsOfError| ApiError::BadRequest(format!("{SEEN_HEADER} {error}."));
        // What is no text is unfit, too: without it the call would overwrite what was not seen.
        let given = self.headers.get(SEEN_HEADER);
        given
            .map(|value| value.to_str().unwrap_or_default().parse().map_err(unfit))
            .transpose()
    }

    /// The roles of the caller.
    pub(super) fn roles(&self) -> Vec<Role> {
        self.caller.user.known_roles()
    }

    /// Refuses, with `Forbidden`, unless the caller's roles grant all these permissions on the model; which rows they reach is not checked here.
    /// While working as another user, accounts, roles, the links between them, and sessions can only be read, and accounts changed.
    pub(super) fn check_rights(&self, model: &Model, permissions: &[Permission]) -> Result<(), ApiError> {
        // While working as somebody else, nobody gives or takes accounts, roles or sessions.
        let gives_access = [&USER_ACCOUNT, &ROLE, &ROLE_MAPPING, &ACCESS_TOKEN]
            .iter()
            .any(|other| other.name == model.name);
        let harmless = |permission: &Permission| {
            *permission == Permission::Read || (*permission == Permission::Change && model.name == USER_ACCOUNT.name)
        };
        if self.caller.is_impersonated() && gives_access && !permissions.iter().all(harmless) {
            return Err(ApiError::Forbidden);
        }
        let roles = self.roles();
        if permissions
            .iter()
            .all(|permission| model.rights.allow(&roles, *permission))
        {
            Ok(())
        } else {
            Err(ApiError::Forbidden)
        }
    }

    /// The id in the path. For accounts, `me`, or a path without an id, is the caller's own. A text that can be no id gives an [`Id`] without a
    /// value; only `null` and an empty text are errors.
    pub(super) fn id(&self, model: &Model) -> Result<Id, ApiError> {
        self.param("id", model)
    }

    /// The id of the related row in the path, read like [`Self::id`].
    pub(super) fn fk(&self, model: &Model) -> Result<Id, ApiError> {
        self.param("fk", model)
    }

    /// The parameter of the path as an id of a row of `model`; of an account, `me` and a path without the parameter are the caller's own. A
    /// `BadRequest` if it is empty or `null`; whether the row exists is not checked.
    fn param(&self, name: &str, model: &Model) -> Result<Id, ApiError> {
        let text = self
            .params
            .iter()
            .find(|(key, _)| key == name)
            .map_or("me", |(_, value)| value);
        if text == "null" || text.is_empty() {
            return Err(ApiError::BadRequest(format!("{name} is a required argument")));
        }
        if model.name == "UserAccount" && text.eq_ignore_ascii_case("me") {
            return Ok(Id::known(Value::Whole(self.caller.user.id.0.into())));
        }
        Ok(Id::parse(model, text))
    }

    /// The body as JSON.
    pub(super) fn json(&self) -> Result<Json, ApiError> {
        body::json(&self.headers, &self.body)
    }

    /// The one object of the body.
    pub(super) fn fields(&self) -> Result<body::Fields, ApiError> {
        body::fields(self.json()?)
    }
}

/// An id as a client wrote it.
#[derive(Clone, Debug)]
pub(crate) struct Id {
    /// The text, for messages.
    pub(super) text: String,
    /// The value, if it can be the id of a row.
    pub(super) value: Option<Value>,
}

impl Id {
    /// An id with this value, without a check; its text is the value as clients write it.
    pub(crate) fn known(value: Value) -> Self {
        let text = match value.to_json() {
            Json::String(text) => text,
            other => other.to_string(),
        };
        Self {
            text,
            value: Some(value),
        }
    }

    /// Reads the id that a text means for this model: a number, a UUID or a digest; a token becomes its digest. Never fails: a text that can be no id
    /// has no value.
    pub(super) fn parse(model: &Model, text: &str) -> Self {
        let value = match model.id().kind {
            Kind::File => text.parse().ok().map(Value::File),
            Kind::Digest => Some(Value::Text(tokens::stored_id(text))),
            _ => text.parse::<i64>().ok().map(Value::Whole),
        };
        Self {
            text: text.to_owned(),
            value,
        }
    }

    /// Reads an id from a field of a body as [`Self::parse`] does from its text. Never fails: what can be no id, such as null or a list, has no
    /// value.
    pub(super) fn of_json(model: &Model, json: &Json) -> Self {
        match json {
            Json::String(text) => Self::parse(model, text),
            other => Self::parse(model, &other.to_string()),
        }
    }

    /// The id as answers show it: its value, else the text that the client wrote.
    pub(super) fn json(&self) -> Json {
        self.value.as_ref().map_or_else(|| json!(self.text), Value::to_json)
    }

    /// The text of the id as a list of one, as reads through a relation take it.
    pub(super) fn key(&self) -> Vec<String> {
        vec![self.text.clone()]
    }

    /// The id as a number; `None` where it is a UUID, a digest or no id.
    pub(super) fn number(&self) -> Option<i64> {
        match self.value {
            Some(Value::Whole(number)) => Some(number),
            _ => None,
        }
    }
}
