//! Where user accounts and their tokens differ from other resources: secrets, and sessions that end with a change.

use axum_extra::extract::CookieJar;
use postgres::audit::{self, AuditedChange, Event};
use postgres::resources::Assignment;
use postgres::tokens::NewToken;
use runtime::sealing::Keys;
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

/// Turns the fields given for an account into the values to store: checks and hashes a password, checks the avatar, encrypts dashboards, and replaces
/// a proof by its digest. A new password marks the other sessions of the account to end; while working as another user it is refused with
/// `Forbidden`. Fails with `Refused` when fields break their rules.
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
    check_avatar(call, &record).await?;
    seal_dashboards(call, &mut record)?;
    keep_digest_of_proof(&mut record, giver);
    if let (Some(password), Some(field)) = (password, USER_ACCOUNT.field("password")) {
        let hash = passwords::hash(password).await?;
        record.set(field, Value::Text(hash));
        record.ends_sessions = true;
    }
    Ok(record)
}

/// Encrypts dashboards that are given, into the hidden column `dashboardsSealed`, and leaves only the names of the entries in `dashboards`.
/// Dashboards given as null clear both columns. Fails with the code NO_SECRETS_KEY when the server has no key to encrypt with.
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
        let keys = Keys::read(call.state.settings.secrets.keys.as_ref())?;
        let text = dashboards::seal(&keys, &given)?;
        record.set(entries, Value::Json(dashboards::entries(&given)));
        record.set(sealed, Value::Text(text));
    } else if replaced {
        record.set(sealed, Value::Null);
    }
    Ok(())
}

/// Replaces a `verificationToken` that an administrator gives by its digest, and sets when it expires: after [`PROOF_LIVES`]. Without a token it
/// changes nothing.
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

/// Refuses a new password for the caller's own account unless `oldPassword` in the same body is right (a session that somebody found open must not be
/// enough to take the account over), and with `Forbidden` while working as another user. Changes without a password, and of other accounts or models,
/// pass.
pub(super) async fn check_old_password(call: &Call, model: &Model, id: &Id, fields: &Fields) -> Result<(), ApiError> {
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

/// Refuses, with `Forbidden`, to replace a row whose model has fields that only administrators may set, unless the caller is one: a replace sets all
/// fields.
pub(super) fn check_may_replace(call: &Call, model: &Model) -> Result<(), ApiError> {
    let has_fields_of_admins = model.fields.iter().any(|field| field.access == Access::ByAdmin);
    if has_fields_of_admins && !call.caller.scope.administers() {
        Err(ApiError::Forbidden)
    } else {
        Ok(())
    }
}

/// Call it before an account is changed. After a new e-mail address the other sessions must end, and it becomes unverified unless `emailVerified` is
/// given too; while working as another user it is `Forbidden`. May set `emailVerified` and `ends_sessions` in `record`, nothing else. Returns the
/// account if its other sessions must end (a new address, or `record.ends_sessions` already set, as a new password does), else `None`, also for rows
/// of other models.
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

/// Refuses an `avatarId` that the caller may not use, with `Refused`: it must be a file uploaded as an avatar, by the caller or, for administrators,
/// by anybody. Passes when no avatar is given.
async fn check_avatar(call: &Call, record: &RowValues) -> Result<(), ApiError> {
    let given = record.values.iter().find_map(|(field, value)| match value {
        Value::File(id) if field.name == "avatarId" => Some((field.name, *id)),
        _ => None,
    });
    let Some((field, id)) = given else { return Ok(()) };
    let caller = &call.caller;
    if postgres::files::may_be_chosen_as_picture(&call.state.postgres, &caller.scope, caller.user.id, FileId(id))
        .await?
    {
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

/// Queues a mail to the user of an account that a write creates with a password (with a link to choose another one, decision D130) or gives a new
/// password (as a notice). Does nothing for other models, or when `values` hold no password. Call it in the transaction of the write.
pub(super) async fn mail_holder(
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

/// The user account that an id names; `None` for rows of other models and for ids out of range.
fn account(model: &Model, id: &Id) -> Option<UserId> {
    let number = id.number().filter(|_| model.name == USER_ACCOUNT.name)?;
    i32::try_from(number).ok().map(UserId)
}

/// Answers `POST /UserAccounts/{id}/accessTokens`: creates a token of the caller, or of another user to work as (decision D27), which the audit log
/// records; `user` must be one that the caller sees, which is not checked here. The token ends with the caller's session at the latest. `Forbidden`
/// while working as another user. Returns the token's fields; `id` is the token itself, shown only this once.
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
    check_scopes(scopes.as_deref().unwrap_or_default(), caller.user.id == user)?;
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

/// Refuses scopes that nobody may give a token: those of an export ticket, a frame and an API key, and, for a token of one's own account (`own`), that of a
/// link to choose a new password.
fn check_scopes(scopes: &[String], own: bool) -> Result<(), ApiError> {
    let is_refused = |scope: &String| {
        (own && scope == tokens::RESET_SCOPE)
            || scope == tokens::KEY_SCOPE
            || export_tickets::is_scope(scope)
            || dashboards::is_frame(scope)
    };
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

/// The cookies to set after `made` was created by [`create_token`]: the new token becomes the session, and the administrator's own token is kept
/// beside it (decision D29). Empty unless a browser begins to work as another user.
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
