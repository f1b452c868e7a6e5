//! A scope as arguments of a statement.

use vocabulary::Scope;

/// The two lists every scoped statement binds: null means 'no restriction'.
/// `(b is null or x.brand_id = any(b) or x.term_id = any(t))` is the form of the condition.
pub struct ScopeLists {
    pub brands: Option<Vec<i32>>,
    pub terms: Option<Vec<i32>>,
    /// The company account whose links of shared tags are seen, besides those of staff.
    pub company: Option<i32>,
}

impl ScopeLists {
    /// The lists of a scope; all three are `None` for one that sees everything.
    pub fn from_scope(scope: &Scope) -> Self {
        Self {
            brands: scope.brands().map(|ids| ids.iter().map(|id| id.0).collect()),
            terms: scope.terms().map(|ids| ids.iter().map(|id| id.0).collect()),
            company: scope.company().map(|id| id.0),
        }
    }
}
