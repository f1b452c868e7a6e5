//! Sign-ins compared with the bare check of a password, which is what limits them.

use std::time::{Duration, Instant};

use futures::future::try_join_all;
use vigie::terminal::say;
use vigie::trial::TrialStack;

use super::BenchError;
use super::peers::Api;
use super::world::Reader;

const ROUNDS: usize = 5;
const FOR: Duration = Duration::from_secs(4);
/// As many as keep all of the API's hashing threads busy.
const AT_ONCE: usize = 4;
/// Share of the bare checks in the same time.
const TARGET_SHARE: f64 = 0.9;

/// Measures sign-ins and bare checks in turns, so that other load on the machine affects both, and prints their rates. Returns the target's name if
/// it is missed.
pub(super) async fn measure(stack: &TrialStack, reader: &Reader) -> Result<Option<String>, BenchError> {
    let address = stack.setting_url("VIGIE__API__PUBLIC_URL", "the address of the API")?;
    let Reader { email, password } = reader;
    let api = Api::sign_in(address, email, password).await?;
    let stored = api::passwords::hash(password.clone()).await?;
    let (mut bare, mut whole) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.push(
            rate(async || {
                let right = api::passwords::verify(password.clone(), Some(stored.clone())).await?;
                right.then_some(()).ok_or_else(|| BenchError::Answer {
                    peer: "argon2id",
                    reply: "another password".to_owned(),
                })
            })
            .await?,
        );
        whole.push(
            rate(async || {
                api.sign_in_again(email, password).await?;
                Ok(())
            })
            .await?,
        );
    }
    let (bare, whole) = (median(bare), median(whole));
    let share = whole / bare;
    say(format!(
        "\nSign-in: {whole:.1} a second through the API, {bare:.1} bare checks of a password: {share:.2} (wanted {TARGET_SHARE})"
    ));
    Ok((share < TARGET_SHARE).then(|| "sign-ins beside bare checks".to_owned()))
}

/// Runs `one` again and again in [`AT_ONCE`] tasks for [`FOR`]; returns how often it completed per second. The first error ends it.
async fn rate(one: impl AsyncFn() -> Result<(), BenchError>) -> Result<f64, BenchError> {
    let began = Instant::now();
    let worker = async || {
        let mut done = 0_u32;
        while began.elapsed() < FOR {
            one().await?;
            done += 1;
        }
        Ok::<_, BenchError>(done)
    };
    let done: u32 = try_join_all((0..AT_ONCE).map(|_| worker())).await?.iter().sum();
    Ok(f64::from(done) / began.elapsed().as_secs_f64())
}

/// Returns the median, of an even number the greater; 0 without rates.
fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or_default()
}
