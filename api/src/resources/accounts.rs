//! Where user accounts and their tokens differ from other resources: secrets, and sessions that end with a change.

use axum::http::StatusCode;
use axum_extra::extract::CookieJar;
use postgres::audit::{self, AuditedChange, Event};
use postgres::resources::Assignment;
use postgres::tokens::NewToken;
use runtime::sealing::{Keys, SealError};
use serde_json::{Value as Json, json};
use vocabulary::resources::models::{ACCESS_TOKEN, USER_ACCOUNT};
use vocabulary::resources::{Access, Model, Value};
use vocabulary::{FileId, MailKind, UserId};

use super::body::Fields;
use super::call::{Call, Id};
use super::record::{self, Author, RowValues, WriteKind};
use crate::access::proofs::{PROOF_LIVES, digest_of_proof};
use crate::access::{cookies, dashboards, export_tickets, notice, owner, passwords, tokens};
use crate::failure::{ApiError, FieldProblem};

/// Reads what is given for an account.
pub(super) async fn prepare(
    call: &Call,
    fields: &mut Fields,
    purpose: WriteKind,
    giver: Author,
) -> Result<RowValues, ApiError> {
    let password = match fields.get("password") {
        None | Some(Json::Null) => None,
        Some(_) if call.caller.is_impersonated() => return Err(ApiError::Forbidden),
        Some(Json::String(password)) => Some(password.clone()),
        Some(_) => return Err(passwords::PasswordError::Invalid.into()),
    };
    if let Some(password) = &password {
        let about = ["email", "firstName", "lastName", "username"].map(|name| fields.get(name).and_then(Json::as_str));
        passwords::of_profile(password, &about.into_iter().flatten().collect::<Vec<_>>())?;
    }
    let mut record = record::read(&USER_ACCOUNT, fields, purpose, giver)?;
    may_show(call, &record).await?;
    seal_dashboards(call, &mut record)?;
    keep_digest_of_proof(&mut record, giver);
    if let (Some(password), Some(field)) = (password, USER_ACCOUNT.field("password")) {
        let hash = passwords::hash(password).await?;
        record.set(field, Value::Text(hash));
        record.ends_sessions = true;
    }
    Ok(record)
}

/// What the entries of dashboards hold goes encrypted into a column that no answer and no filter names; the other says which there are.
fn seal_dashboards(call: &Call, record: &mut RowValues) -> Result<(), ApiError> {
    let given = record.values.iter().find_map(|(field, value)| match value {
        Value::Json(entries) if field.name == "dashboards" => Some(entries.clone()),
        _ => None,
    });
    let replaced = record.values.iter().any(|(field, _)| field.name == "dashboards");
    let (Some(entries), Some(sealed)) = (USER_ACCOUNT.field("dashboards"), USER_ACCOUNT.field("dashboardsSealed"))
    else {
        return Ok(());
    };
    if let Some(given) = given {
        let keys = Keys::read(call.state.settings.secrets.keys.as_ref()).map_err(|error| no_key(&error))?;
        let text = dashboards::seal(&keys, &given).map_err(|error| no_key(&error))?;
        record.set(entries, Value::Json(dashboards::entries(&given)));
        record.set(sealed, Value::Text(text));
    } else if replaced {
        record.set(sealed, Value::Null);
    }
    Ok(())
}

fn no_key(error: &SealError) -> ApiError {
    tracing::error!(%error, "credentials cannot be stored");
    let text = "This server has no key to encrypt credentials with, and stores none without.".to_owned();
    ApiError::Coded(StatusCode::CONFLICT, "NO_SECRETS_KEY", text)
}

/// A proof of an address that an administrator gives is kept like one that a mail brings.
fn keep_digest_of_proof(record: &mut RowValues, giver: Author) {
    let found = record.values.iter().find_map(|(field, value)| match value {
        Value::Text(proof) if field.name == "verificationToken" => Some((*field, proof.clone())),
        _ => None,
    });
    if let (Some((field, proof)), Some(ends)) = (found, USER_ACCOUNT.field("verificationEnds")) {
        record.set(field, Value::Text(digest_of_proof(&proof)));
        record.set(ends, Value::Date(giver.now + PROOF_LIVES));
    }
}

/// Refuses a new password of the own account that comes without the old one: a session found open must not be enough to take the account over.
pub(super) async fn is_proven_owner(call: &Call, model: &Model, id: &Id, fields: &Fields) -> Result<(), ApiError> {
    let is_given = fields.get("password").is_some_and(|password| !password.is_null());
    if !is_given || account(model, id) != Some(call.caller.user.id) {
        return Ok(());
    }
    if call.caller.is_impersonated() {
        return Err(ApiError::Forbidden);
    }
    let old = fields.get("oldPassword").and_then(Json::as_str).unwrap_or_default();
    if owner::has_password(&call.state, call.caller.user.id, old.to_owned()).await? {
        Ok(())
    } else {
        Err(owner::wrong_password())
    }
}

/// A replace would have to set what only administrators may.
pub(super) fn may_replace(call: &Call, model: &Model) -> Result<(), ApiError> {
    let has_fields_of_admins = model.fields.iter().any(|field| field.access == Access::ByAdmin);
    if has_fields_of_admins && !call.caller.scope.administers() {
        Err(ApiError::Forbidden)
    } else {
        Ok(())
    }
}

/// A new address is not verified, and nobody gives one while working as somebody else. Answers whose other sessions end, where the address or
/// the password changes.
pub(super) async fn before_change(
    call: &Call,
    model: &'static Model,
    id: &Id,
    record: &mut RowValues,
) -> Result<Option<UserId>, ApiError> {
    let Some(user) = account(model, id) else {
        return Ok(None);
    };
    let email = record.values.iter().find_map(|(field, value)| match value {
        Value::Text(email) if field.name == "email" => Some(email.clone()),
        _ => None,
    });
    if let Some(email) = email {
        let known = postgres::users::address(&call.state.postgres, user).await?;
        if let Some(known) = known.filter(|known| known.email != email) {
            if call.caller.is_impersonated() {
                return Err(ApiError::Forbidden);
            }
            record.ends_sessions = true;
            let given = record.answer.contains_key("emailVerified");
            if let Some(field) = USER_ACCOUNT
                .field("emailVerified")
                .filter(|_| known.verified == Some(true) && !given)
            {
                record.set(field, Value::Flag(false));
            }
        }
    }
    Ok(record.ends_sessions.then_some(user))
}

/// A picture is an uploaded avatar, and one's own unless an administrator chooses it: an id alone does not make a file a picture.
async fn may_show(call: &Call, record: &RowValues) -> Result<(), ApiError> {
    let given = record.values.iter().find_map(|(field, value)| match value {
        Value::File(id) if field.name == "avatarId" => Some((field.name, *id)),
        _ => None,
    });
    let Some((field, id)) = given else { return Ok(()) };
    let caller = &call.caller;
    if postgres::files::may_be_shown(&call.state.postgres, &caller.scope, caller.user.id, FileId(id)).await? {
        return Ok(());
    }
    Err(ApiError::Refused {
        model: USER_ACCOUNT.name,
        problems: vec![FieldProblem::new(
            field,
            "reference",
            "does not exist",
            record::shown(Some(&json!(id))),
        )],
    })
}

/// Mails the holder of a new account a link to choose a password (decision D130), and that of an account whose password was changed a notice of
/// it.
pub(super) async fn tell_holder(
    transaction: &mut postgres::Tx,
    model: &'static Model,
    id: i64,
    values: &[Assignment],
    purpose: WriteKind,
) -> Result<(), ApiError> {
    let is_given = |name| values.iter().any(|(field, _)| field.name == name);
    if model.name != USER_ACCOUNT.name || !is_given("password") {
        return Ok(());
    }
    let user = UserId(i32::try_from(id).unwrap_or_default());
    let kind = if purpose == WriteKind::Create {
        MailKind::Account
    } else {
        MailKind::Password
    };
    notice::notify(transaction, user, kind, None).await
}

fn account(model: &Model, id: &Id) -> Option<UserId> {
    let number = id.number().filter(|_| model.name == USER_ACCOUNT.name)?;
    i32::try_from(number).ok().map(UserId)
}

/// `POST /UserAccounts/{id}/accessTokens`: an own token for anybody, one of another user for an administrator, who then works as that
/// user (decision D27).
pub(super) async fn create_token(call: &Call, user: i64, fields: &Fields) -> Result<Json, ApiError> {
    if call.caller.is_impersonated() {
        return Err(ApiError::Forbidden);
    }
    let mut fields = fields.clone();
    if !call.caller.scope.administers() {
        fields.remove("created");
    }
    if let Some(id) = fields.get("id").filter(|id| !id.is_null()) {
        let problem = FieldProblem::new("id", "absence", "can't be set", record::shown(Some(id)));
        return Err(ApiError::Refused {
            model: ACCESS_TOKEN.name,
            problems: vec![problem],
        });
    }
    let giver = Author {
        administers: true,
        now: call.state.clock.now(),
    };
    let record = record::read(&ACCESS_TOKEN, &fields, WriteKind::Create, giver)?;
    let value = |name: &str| {
        record
            .values
            .iter()
            .find(|(field, _)| field.name == name)
            .map(|(_, value)| value.clone())
    };
    let ttl = match value("ttl") {
        Some(Value::Whole(ttl)) => tokens::ttl(ttl),
        _ => tokens::DEFAULT_TTL_SECONDS,
    };
    let created = match value("created") {
        Some(Value::Date(date)) => date,
        _ => giver.now,
    };
    let scopes = match value("scopes") {
        Some(Value::Texts(scopes)) => Some(scopes),
        _ => None,
    };
    let user = UserId(i32::try_from(user).unwrap_or_default());
    let caller = &call.caller;
    let ttl = ttl.min(caller.session.ttl);
    may_have_scopes(scopes.as_deref().unwrap_or_default(), caller.user.id == user)?;
    let token = tokens::fresh();
    let new = NewToken {
        digest: &tokens::digest(&token),
        user,
        ttl,
        scopes: scopes.as_deref(),
        created,
        made_in: Some((&caller.session).into()),
        impersonated_by: (caller.user.id != user).then_some(caller.user.id),
        user_agent: None,
    };
    let mut transaction = postgres::begin(&call.state.postgres).await?;
    postgres::tokens::create(&mut *transaction, &new).await?;
    if new.impersonated_by.is_some() {
        // A token for one purpose, such as choosing a password, is no session to work in.
        let for_one_purpose = scopes.as_ref().is_some_and(|scopes| !scopes.is_empty());
        let done = AuditedChange {
            event: if for_one_purpose {
                Event::Create
            } else {
                Event::Impersonate
            },
            model: if for_one_purpose {
                ACCESS_TOKEN.name
            } else {
                USER_ACCOUNT.name
            },
            target: user.to_string(),
            details: json!({ "ttl": ttl, "scopes": scopes }),
        };
        audit::record(&mut *transaction, &caller.audit_actor(), &[done]).await?;
    }
    transaction.commit().await.map_err(postgres::Error::from)?;
    tracing::info!(account = user.0, "token made");
    let mut answer = record.answer;
    answer.insert("id".to_owned(), json!(token));
    answer.insert("ttl".to_owned(), json!(ttl));
    answer.insert("userId".to_owned(), json!(user.0));
    Ok(Json::Object(answer))
}

/// A session gives itself neither a link that chooses a new password nor a ticket.
fn may_have_scopes(scopes: &[String], own: bool) -> Result<(), ApiError> {
    let is_refused = |scope: &String| (own && scope == tokens::RESET_SCOPE) || export_tickets::is_scope(scope);
    let Some(refused) = scopes.iter().find(|scope| is_refused(scope)) else {
        return Ok(());
    };
    let problem = FieldProblem::new(
        "scopes",
        "inclusion",
        "can't be set",
        record::shown(Some(&json!(refused))),
    );
    Err(ApiError::Refused {
        model: ACCESS_TOKEN.name,
        problems: vec![problem],
    })
}

/// What a browser keeps when its administrator begins to work as somebody else: the new token for the session, the own one beside it
/// (decision D29).
pub(super) fn cookies_of_impersonation(call: &Call, made: &Json) -> CookieJar {
    let (caller, jar) = (&call.caller, CookieJar::new());
    let is_own = made.get("userId").and_then(Json::as_i64) == Some(caller.user.id.0.into());
    let scopes = made.get("scopes").and_then(Json::as_array);
    let for_one_purpose = scopes.is_some_and(|scopes| !scopes.is_empty());
    let own = call.cookie(cookies::ACCESS_TOKEN);
    match (made.get("id").and_then(Json::as_str), own) {
        (Some(token), Some(own)) if caller.by_cookie && !is_own && !for_one_purpose => jar
            .add(cookies::session(token.to_owned()))
            .add(cookies::of_administrator(own)),
        _ => jar,
    }
}
