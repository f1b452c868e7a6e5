//! A token bucket.

use std::time::Duration;

use crate::Coordination;

/// A token bucket over all processes: tokens appear at a steady rate, and each use takes one.
#[derive(Clone)]
pub struct Bucket {
    coordination: Coordination,
    key: String,
    every: Duration,
    burst: u32,
}

impl Bucket {
    /// The bucket of this name, shared by all processes, with `per_minute` tokens a minute. 0 counts as 1, for both numbers; up to `burst` tokens may
    /// be taken at once after an idle time.
    pub fn new(coordination: &Coordination, name: &str, per_minute: u32, burst: u32) -> Self {
        Self {
            coordination: coordination.clone(),
            key: format!("bucket:{name}"),
            every: Duration::from_mins(1) / per_minute.max(1),
            burst,
        }
    }

    /// Takes a token if there is one; never waits.
    ///
    /// # Errors
    /// How long to wait for the next token. It is not reserved: another caller may take it first.
    pub async fn try_take(&self) -> Result<(), Duration> {
        let wait = self.coordination.take(&self.key, self.every, self.burst).await;
        if wait.is_zero() { Ok(()) } else { Err(wait) }
    }

    /// Waits, however long, until it can take a token.
    pub async fn acquire(&self) {
        while let Err(wait) = self.try_take().await {
            tokio::time::sleep(wait).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn without_redis_tokens_come_at_the_rate_after_the_burst() {
        let bucket = Bucket::new(&Coordination::alone(), "google", 60, 2);
        assert_eq!(bucket.try_take().await, Ok(()));
        assert_eq!(bucket.try_take().await, Ok(()));
        assert_eq!(bucket.try_take().await, Err(Duration::from_secs(1)));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(bucket.try_take().await, Ok(()));
    }
}
