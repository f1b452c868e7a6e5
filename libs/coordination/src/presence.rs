//! The members of a room at present: the people on one page, say.

use std::time::Duration;

use crate::Coordination;

/// Members that a room remembers, those that entered last: more than work on one thing at once.
pub const MOST_MEMBERS: usize = 20;

/// Rooms of one kind that remember their members, each for a time after it entered last.
#[derive(Clone)]
pub struct Presence {
    coordination: Coordination,
    what: &'static str,
    memory: Duration,
}

impl Presence {
    /// Rooms of the kind `what`, shared by all processes; a member that does not enter again is forgotten after `memory`.
    pub fn new(coordination: &Coordination, what: &'static str, memory: Duration) -> Self {
        Self {
            coordination: coordination.clone(),
            what,
            memory,
        }
    }

    /// Notes that a member is in a room, and returns all that are, the member among them; at most [`MOST_MEMBERS`], those that entered last.
    pub async fn enter(&self, room: &str, member: &str) -> Vec<String> {
        self.coordination.enter(&self.key(room), member, self.memory).await
    }

    /// Forgets that a member is in a room.
    pub async fn leave(&self, room: &str, member: &str) {
        self.coordination.leave(&self.key(room), member).await;
    }

    /// The members of each of these rooms, in the order of the rooms.
    pub async fn members(&self, rooms: &[String]) -> Vec<Vec<String>> {
        if rooms.is_empty() {
            return Vec::new();
        }
        let keys: Vec<String> = rooms.iter().map(|room| self.key(room)).collect();
        self.coordination.members(&keys).await
    }

    /// The name of a room in the store, apart from those of other kinds.
    fn key(&self, room: &str) -> String {
        format!("present:{}:{room}", self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn members_are_remembered_for_a_time_after_they_entered_last() {
        let rooms = Presence::new(&Coordination::alone(), "case", Duration::from_mins(1));
        assert_eq!(rooms.enter("7", "ann").await, ["ann"]);
        tokio::time::advance(Duration::from_secs(40)).await;
        assert_eq!(rooms.enter("7", "bob").await, ["ann", "bob"]);
        tokio::time::advance(Duration::from_secs(40)).await;
        let both = ["7".to_owned(), "8".to_owned()];
        assert_eq!(rooms.members(&both).await, [vec!["bob".to_owned()], Vec::new()]);
        rooms.leave("7", "bob").await;
        assert_eq!(rooms.members(&both).await, [Vec::<String>::new(), Vec::new()]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_room_is_bounded() {
        let rooms = Presence::new(&Coordination::alone(), "case", Duration::from_mins(1));
        for number in 0..MOST_MEMBERS + 5 {
            rooms.enter("7", &number.to_string()).await;
            tokio::time::advance(Duration::from_millis(2)).await;
        }
        let members = rooms.enter("7", "last").await;
        assert_eq!(members.len(), MOST_MEMBERS);
        assert_eq!(members.last().map(String::as_str), Some("last"));
    }
}
