//! Proof that somebody is the holder of an account: name and password, and a code where the account needs one.

use std::net::IpAddr;

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use postgres::second_factors::{self, SecondFactor};
use serde_json::{Map, Value as Json};
use vocabulary::{Language, Role, UserId};

use super::throttle::{CountedAttempt, ThrottledAction};
use crate::access::{ClientAddress, client, comes_from_another_site, passwords, second_factor};
use crate::extract::Body;
use crate::failure::ApiError;
use crate::resources;
use crate::state::ApiState;

/// What somebody gives for an account: a name, a password, and whatever else the call takes. As an extractor it refuses a form of another site.
pub(super) struct Given {
    fields: Map<String, Json>,
    language: Option<Language>,
    address: IpAddr,
}

/// The user who gave the password of an account.
pub(super) struct Holder {
    pub(super) user: UserId,
    /// Confirmed or not.
    pub(super) factor: Option<SecondFactor>,
    pub(super) language: Option<Language>,
    code: String,
}

impl FromRequest<ApiState> for Given {
    type Rejection = ApiError;

    /// Reads the body; `CrossSite` for a form of another site, `BadRequest` for what is no object.
    async fn from_request(request: Request, state: &ApiState) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        if comes_from_another_site(&parts.headers) {
            return Err(ApiError::CrossSite);
        }
        let ClientAddress(address) = ClientAddress::from_request_parts(&mut parts, state).await?;
        let headers = parts.headers.clone();
        let Body(body) = Body::from_request(Request::from_parts(parts, body), state).await?;
        Ok(Self {
            fields: resources::body_fields(&headers, &body)?,
            language: client::language(&headers),
            address,
        })
    }
}

impl Given {
    /// A field of the body.
    pub(super) fn get(&self, name: &str) -> Option<&Json> {
        self.fields.get(name)
    }

    /// Finds the holder by `email` or `username` and `password`, as a counted attempt to sign in. `LoginFailed` when the name or the password is wrong.
    pub(super) async fn holder(&self, state: &ApiState) -> Result<Holder, ApiError> {
        let name = email_or_username(&self.fields)?;
        let password = self.get("password").and_then(Json::as_str).unwrap_or_default();
        let code = self.get("code").and_then(Json::as_str).unwrap_or_default();
        let attempt = CountedAttempt::reserve(state, ThrottledAction::Login, name.text(), self.address).await?;
        let user = match authenticate(state, &name, password).await {
            Ok(Some(user)) => {
                attempt.succeeded().await;
                user
            }
            Ok(None) => return Err(ApiError::LoginFailed),
            // The attempt is not given back: it counts as a failure, whether the password is right or not.
            Err(ApiError::PublishedPassword) => return Err(ApiError::PublishedPassword),
            Err(failure) => {
                // Nobody knows whether the password was right.
                attempt.give_back().await;
                return Err(failure);
            }
        };
        Ok(Holder {
            user,
            factor: second_factors::find(&state.postgres, user).await?,
            language: self.language,
            code: code.to_owned(),
        })
    }
}

impl Holder {
    /// The second factor that sign-ins are asked for; `None` without one, and before it is confirmed.
    pub(super) fn confirmed_factor(&self) -> Option<&SecondFactor> {
        self.factor.as_ref().filter(|factor| factor.confirmed.is_some())
    }

    /// Asks for the code that a sign-in needs, if it needs one: those of [`Self::give_code`], and [`Refusal::SetUpRequired`] for an administrator who has to set a
    /// second factor up first.
    pub(super) async fn sign_in(&self, state: &ApiState) -> Result<UserId, ApiError> {
        match self.confirmed_factor() {
            Some(factor) => self.give_code(state, factor).await?,
            None if second_factor_is_due(state, self.user).await? => return Err(Refusal::SetUpRequired.into()),
            None => {}
        }
        Ok(self.user)
    }

    /// Uses the code that was given. [`Refusal::CodeRequired`] without one, [`Refusal::CodeWrong`] for a wrong or used one, `Throttled` after too many of those.
    pub(super) async fn give_code(&self, state: &ApiState, factor: &SecondFactor) -> Result<(), ApiError> {
        if self.code.trim().is_empty() {
            return Err(Refusal::CodeRequired.into());
        }
        if second_factor::use_code(state, (self.user, self.language), factor, &self.code).await? {
            Ok(())
        } else {
            Err(Refusal::CodeWrong.into())
        }
    }

    /// The second factor to be confirmed, and the half minute whose code was given. [`Refusal::NotBegun`] where there is none, [`Refusal::SwitchedOn`] where it is
    /// confirmed, [`Refusal::CodeWrong`] for a wrong code.
    pub(super) async fn first_step(&self, state: &ApiState) -> Result<(&SecondFactor, i64), ApiError> {
        let factor = self.factor.as_ref().ok_or(Refusal::NotBegun)?;
        if factor.confirmed.is_some() {
            return Err(Refusal::SwitchedOn.into());
        }
        let counted = second_factor::CountedCode::reserve(state, self.user).await?;
        let step = second_factor::step_of(state, factor, &self.code)?.ok_or(Refusal::CodeWrong)?;
        counted.give_back().await;
        Ok((factor, step))
    }
}

/// Why the holder of an account is not let in yet, or its second factor not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The account has a second factor, and no code was given.
    CodeRequired,
    /// The code is wrong, or was used.
    CodeWrong,
    /// Administrators need a second factor here, and this one has none.
    SetUpRequired,
    /// There is a second factor.
    SwitchedOn,
    /// There is no second factor.
    SwitchedOff,
    /// There is no secret that a code could be of.
    NotBegun,
    /// The settings ask administrators for a second factor.
    Needed,
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let (status, code, text) = match refusal {
            Refusal::CodeRequired => (
                StatusCode::UNAUTHORIZED,
                "SECOND_FACTOR_REQUIRED",
                "This account needs a code of its app, or a recovery code, as `code`",
            ),
            Refusal::CodeWrong => (
                StatusCode::UNAUTHORIZED,
                "SECOND_FACTOR_WRONG",
                "The code is wrong, or was used before",
            ),
            Refusal::SetUpRequired => (
                StatusCode::UNAUTHORIZED,
                "SECOND_FACTOR_SET_UP",
                "Administrators need a second factor here: set it up with POST /second-factor",
            ),
            Refusal::SwitchedOn => (
                StatusCode::CONFLICT,
                "SECOND_FACTOR_ON",
                "This account has a second factor",
            ),
            Refusal::SwitchedOff => (
                StatusCode::CONFLICT,
                "SECOND_FACTOR_OFF",
                "This account has no second factor",
            ),
            Refusal::NotBegun => (
                StatusCode::CONFLICT,
                "SECOND_FACTOR_NOT_BEGUN",
                "Begin with POST /second-factor, and give the app its secret",
            ),
            Refusal::Needed => (
                StatusCode::CONFLICT,
                "SECOND_FACTOR_NEEDED",
                "The settings of this server ask administrators for a second factor",
            ),
        };
        Self::Coded(status, code, text.to_owned())
    }
}

/// Whether the settings ask this user, who has none, for a second factor.
pub(super) async fn second_factor_is_due(state: &ApiState, user: UserId) -> Result<bool, ApiError> {
    Ok(state.settings.api.second_factor_of_administrators
        && postgres::users::has_role(&state.postgres, user, Role::Admin).await?)
}

/// The account with this name and password; `None` when the name or the password is wrong, which takes equally long. `PublishedPassword` for the
/// demonstration's password where other machines reach the site, whether it is right or not.
async fn authenticate(state: &ApiState, name: &Name, password: &str) -> Result<Option<UserId>, ApiError> {
    let found = match name {
        Name::Email(email) => postgres::users::credentials(&state.postgres, email).await?,
        Name::Username(username) => postgres::users::credentials_of_name(&state.postgres, username).await?,
    };
    let (known, stored) = found.map_or((None, None), |found| (Some(found.id), found.password_hash));
    let right = passwords::verify(password.to_owned(), stored).await?;
    if password == passwords::PUBLISHED && state.settings.api.is_exposed() {
        if right {
            tracing::warn!(
                "an account with the published password of the demonstration was refused: the site is exposed"
            );
        }
        return Err(ApiError::PublishedPassword);
    }
    Ok(known.filter(|_| right))
}

/// The name that somebody signs in with.
enum Name {
    Email(String),
    Username(String),
}

impl Name {
    fn text(&self) -> &str {
        match self {
            Self::Email(text) | Self::Username(text) => text,
        }
    }
}

/// The e-mail address to sign in with, or the user name when the address is missing, null or empty; a failure with a code when neither is given or
/// one is of another type.
fn email_or_username(given: &Map<String, Json>) -> Result<Name, ApiError> {
    let invalid = |code, text: &str| Err(ApiError::Coded(StatusCode::BAD_REQUEST, code, text.to_owned()));
    match (given.get("email"), given.get("username")) {
        (Some(Json::String(email)), _) if !email.is_empty() => Ok(Name::Email(email.clone())),
        (None | Some(Json::Null | Json::String(_)), Some(Json::String(name))) if !name.is_empty() => {
            Ok(Name::Username(name.clone()))
        }
        (None | Some(Json::Null), Some(Json::Object(_) | Json::Array(_))) => {
            invalid("INVALID_USERNAME", "Invalid username")
        }
        (None | Some(Json::Null | Json::String(_)), _) => {
            invalid("USERNAME_EMAIL_REQUIRED", "username or email is required")
        }
        (Some(_), _) => invalid("INVALID_EMAIL", "Invalid email"),
    }
}
