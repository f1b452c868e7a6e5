//! A memory of keys, each for a time.

use std::time::Duration;

use crate::Coordination;

/// Remembers keys for a time after they were noted last.
#[derive(Clone)]
pub struct RecentlySeen {
    coordination: Coordination,
    what: &'static str,
    memory: Duration,
}

impl RecentlySeen {
    /// A memory for keys of the kind `what`, shared by all processes; each key is remembered for `memory` after it was noted last.
    pub fn new(coordination: &Coordination, what: &'static str, memory: Duration) -> Self {
        Self {
            coordination: coordination.clone(),
            what,
            memory,
        }
    }

    /// Whether every one of these keys was noted within the memory; `true` for an empty list. Keys that Redis has lost count as not noted.
    pub async fn has_all(&self, things: &[String]) -> bool {
        things.is_empty() || self.coordination.all_exist(&self.keys(things)).await
    }

    /// Notes these keys now: each is remembered for the whole memory again.
    pub async fn note(&self, things: &[String]) {
        if !things.is_empty() {
            self.coordination.set_for(&self.keys(things), self.memory).await;
        }
    }

    /// The names of keys in the store, apart from those of other kinds.
    fn keys(&self, things: &[String]) -> Vec<String> {
        things
            .iter()
            .map(|thing| format!("seen:{}:{thing}", self.what))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn things_are_remembered_for_a_time_after_they_were_seen_last() {
        let seen = RecentlySeen::new(&Coordination::alone(), "creative", Duration::from_hours(24));
        let (one, both) = (vec!["a".to_owned()], vec!["a".to_owned(), "b".to_owned()]);
        assert!(!seen.has_all(&one).await);
        seen.note(&one).await;
        assert!(seen.has_all(&one).await && !seen.has_all(&both).await);
        tokio::time::advance(Duration::from_hours(20)).await;
        seen.note(&one).await;
        tokio::time::advance(Duration::from_hours(20)).await;
        assert!(seen.has_all(&one).await);
        tokio::time::advance(Duration::from_hours(4)).await;
        assert!(!seen.has_all(&one).await);
        assert!(seen.has_all(&[]).await);
    }
}
