//! `vigie create-admin`: an administrator's account.

use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use clap::Args;
use thiserror::Error;
use vocabulary::Role;

use super::CommandError;
use crate::connections;
use crate::terminal::say;

/// Shortest password accepted.
const SHORTEST: usize = 10;
const EMAIL_KEYS: [&str; 2] = ["user_account_email_key", "user_account_address_key"];

/// The new administrator.
#[derive(Debug, Args)]
pub struct CreateAdmin {
    /// The address to sign in with
    email: String,
    /// First name of the administrator
    #[arg(long, default_value = "")]
    first_name: String,
    /// Last name of the administrator
    #[arg(long, default_value = "")]
    last_name: String,
}

/// Why no account was created.
#[derive(Debug, Error)]
pub enum NotCreatedError {
    /// An account with this address exists.
    #[error("{0} already has an account")]
    Taken(String),
    /// The address is not valid.
    #[error("'{0}' is no e-mail address")]
    NoAddress(String),
    /// The password is too short.
    #[error("the password has fewer than {SHORTEST} characters")]
    TooShort,
    /// The password could not be hashed.
    #[error("the password cannot be hashed: {0}")]
    Hash(String),
}

/// Creates the administrator's account under the address in lower case; fails if the address is taken or is not an e-mail address. The password is
/// read from standard input; if standard input is a terminal, one is generated instead and printed once.
pub fn run(arguments: &CreateAdmin) -> Result<ExitCode, CommandError> {
    let settings = super::settings_of_stack()?;
    let email = arguments.email.trim().to_lowercase();
    if !email
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty())
    {
        return Err(NotCreatedError::NoAddress(email).into());
    }
    let (password, made_up) = read_or_generate_password()?;
    super::block_on(async {
        let pool = connections::postgres(&settings, "vigie create-admin")?;
        let hash = api::passwords::hash(password.clone())
            .await
            .map_err(|error| NotCreatedError::Hash(error.to_string()))?;
        let new = postgres::users::NewUser {
            email: &email,
            password_hash: Some(&hash),
            first_name: non_empty(&arguments.first_name),
            last_name: non_empty(&arguments.last_name),
            company: None,
            roles: &[Role::Admin],
        };
        let mut transaction = postgres::begin(&pool).await?;
        postgres::users::create(&mut transaction, &new)
            .await
            .map_err(|error| match error.violated_key() {
                Some(key) if EMAIL_KEYS.contains(&key) => CommandError::from(NotCreatedError::Taken(email.clone())),
                _ => error.into(),
            })?;
        transaction.commit().await.map_err(postgres::Error::from)?;
        say(format!("{email} is an administrator"));
        if made_up {
            say(format!("password (shown only now): {password}"));
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// Returns a name, or `None` for an empty one.
fn non_empty(name: &str) -> Option<&str> {
    Some(name).filter(|name| !name.is_empty())
}

/// Returns the password, and whether it was generated: on a terminal it is, else one line of standard input is read. Fails when that has fewer than
/// [`SHORTEST`] characters.
fn read_or_generate_password() -> Result<(String, bool), CommandError> {
    let input = std::io::stdin();
    if input.is_terminal() {
        return Ok((crate::random::password()?, true));
    }
    let mut line = String::new();
    input.lock().read_line(&mut line)?;
    let password = line.trim_end_matches(['\r', '\n']);
    if password.chars().count() < SHORTEST {
        return Err(NotCreatedError::TooShort.into());
    }
    Ok((password.to_owned(), false))
}
