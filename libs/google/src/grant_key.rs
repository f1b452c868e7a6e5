//! What a grant is known and used by.

/// A grant: its row and its refresh token.
#[derive(Clone)]
pub struct GrantKey {
    /// Id of the grant's row.
    pub id: i64,
    /// The refresh token.
    pub refresh_token: String,
}

impl std::fmt::Debug for GrantKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GrantKey({})", self.id)
    }
}
