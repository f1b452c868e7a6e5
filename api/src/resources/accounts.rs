//! Where user accounts and their tokens differ from other resources: secrets, and sessions that end with a change.

use records::tokens::NewToken;
use serde_json::{Value as Json, json};
use vocabulary::UserId;
use vocabulary::resources::models::{ACCESS_TOKEN, USER_ACCOUNT};
use vocabulary::resources::{Access, Model, Value};

use super::body::Fields;
use super::call::{Call, Id};
use super::record::{self, Giver, Purpose, Record};
use crate::access::{passwords, tokens};
use crate::failure::{Failure, Problem};

/// The id of a stored token: its SHA-256 as hex. The token itself is as good a name, for who holds it.
pub(super) fn digest_of(text: &str) -> String {
    let is_digest = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_digest {
        text.to_ascii_lowercase()
    } else {
        hex::encode(tokens::digest(text))
    }
}

/// Reads what is given for an account.
pub(super) async fn prepare(
    call: &Call,
    fields: &mut Fields,
    purpose: Purpose,
    giver: Giver,
) -> Result<Record, Failure> {
    let password = match fields.get("password") {
        None | Some(Json::Null) => None,
        Some(_) if call.caller.session.impersonated_by.is_some() => return Err(Failure::Forbidden),
        Some(Json::String(password)) => Some(password.clone()),
        Some(_) => return Err(passwords::Refused::Invalid.into()),
    };
    if let Some(password) = &password {
        passwords::of_profile(password)?;
    }
    let mut record = record::read(&USER_ACCOUNT, fields, purpose, giver)?;
    if let Some((field, Value::Text(email))) = record.values.iter().find(|(field, _)| field.name == "email")
        && !is_address(email)
    {
        let problem = Problem::new(
            field.name,
            "custom.email",
            "is invalid",
            record::shown(fields.get("email")),
        );
        return Err(Failure::Refused {
            model: USER_ACCOUNT.name,
            problems: vec![problem],
        });
    }
    if let (Some(password), Some(field)) = (password, USER_ACCOUNT.field("password")) {
        let hash = passwords::hash(password).await.map_err(Failure::internal)?;
        record.set(field, Value::Text(hash));
        record.ends_sessions = true;
    }
    Ok(record)
}

/// Something before the at, a host with a dot after it, no blanks.
fn is_address(email: &str) -> bool {
    let Some((name, host)) = email.rsplit_once('@') else {
        return false;
    };
    let well_formed = !name.is_empty() && host.split('.').count() > 1 && host.split('.').all(|label| !label.is_empty());
    well_formed
        && !email
            .chars()
            .any(|letter| letter.is_whitespace() || letter.is_control() || "<>()[],;:\\\"".contains(letter))
}

/// A replace would have to set what only administrators may.
pub(super) fn may_replace(call: &Call, model: &Model) -> Result<(), Failure> {
    let has_fields_of_admins = model.fields.iter().any(|field| field.access == Access::ByAdmin);
    if has_fields_of_admins && !call.caller.scope.administers() {
        Err(Failure::Forbidden)
    } else {
        Ok(())
    }
}

/// A new address is not verified, and ends the sessions of the old one.
pub(super) async fn before_change(
    call: &Call,
    model: &'static Model,
    id: &Id,
    record: &mut Record,
) -> Result<(), Failure> {
    let Some(user) = account(model, id) else { return Ok(()) };
    let email = record.values.iter().find_map(|(field, value)| match value {
        Value::Text(email) if field.name == "email" => Some(email.clone()),
        _ => None,
    });
    let Some(email) = email else { return Ok(()) };
    let known = records::users::by_id(&call.state.records, user).await?;
    if let Some(known) = known.filter(|known| known.email != email) {
        record.ends_sessions = true;
        let given = record.answer.contains_key("emailVerified");
        if let Some(field) = USER_ACCOUNT
            .field("emailVerified")
            .filter(|_| known.email_verified == Some(true) && !given)
        {
            record.set(field, Value::Flag(false));
        }
    }
    Ok(())
}

/// Ends the other sessions of an account whose address or password changed.
pub(super) async fn after_change(call: &Call, model: &'static Model, id: &Id, record: &Record) -> Result<(), Failure> {
    if let Some(user) = account(model, id).filter(|_| record.ends_sessions) {
        records::tokens::revoke_all(&call.state.records, user, Some(call.caller.session.id)).await?;
    }
    Ok(())
}

fn account(model: &Model, id: &Id) -> Option<UserId> {
    let number = id.number().filter(|_| model.name == USER_ACCOUNT.name)?;
    i32::try_from(number).ok().map(UserId)
}

/// `POST /UserAccounts/{id}/accessTokens`: an own token for anybody, one of another user for an administrator, who then works as that
/// user (decision D27).
pub(super) async fn create_token(call: &Call, user: i64, fields: &Fields) -> Result<Json, Failure> {
    if call.caller.session.impersonated_by.is_some() {
        return Err(Failure::Forbidden);
    }
    let mut fields = fields.clone();
    if !call.caller.scope.administers() {
        fields.remove("created");
    }
    if let Some(id) = fields.get("id").filter(|id| !id.is_null()) {
        let problem = Problem::new("id", "absence", "can't be set", record::shown(Some(id)));
        return Err(Failure::Refused {
            model: ACCESS_TOKEN.name,
            problems: vec![problem],
        });
    }
    let giver = Giver {
        administers: true,
        now: call.state.clock.now(),
    };
    let record = record::read(&ACCESS_TOKEN, &fields, Purpose::Create, giver)?;
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
    let token = tokens::fresh();
    let new = NewToken {
        digest: &tokens::digest(&token),
        user,
        ttl,
        scopes: scopes.as_deref(),
        created,
        impersonation: (caller.user.id != user).then_some((caller.user.id, caller.session.id)),
    };
    records::tokens::create(&call.state.records, &new).await?;
    tracing::info!(user = user.0, by = caller.user.id.0, "token made");
    let mut answer = record.answer;
    answer.insert("id".to_owned(), json!(token));
    answer.insert("ttl".to_owned(), json!(ttl));
    answer.insert("userId".to_owned(), json!(user.0));
    Ok(Json::Object(answer))
}
