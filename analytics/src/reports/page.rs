//! Which part of a list is wanted, and which way round.

use strum::{Display, EnumString, VariantArray};

/// Rows of an answer that is not paged (decision D11); more is 'too many results'.
pub const MOST_ROWS: u32 = 10_000;

/// Which way to order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantArray)]
#[strum(serialize_all = "UPPERCASE", ascii_case_insensitive)]
pub enum Direction {
    /// Smallest first.
    Asc,
    /// Largest first.
    #[default]
    Desc,
}

/// Which rows are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// Every row, at most [`MOST_ROWS`].
    All,
    /// One page.
    Of {
        /// Number, from 1.
        number: u32,
        /// Rows a page.
        size: u32,
    },
}

impl Page {
    /// Rows to ask for and to skip; one more than allowed where all are wanted, so that too many are noticed.
    pub(super) fn limit_and_offset(self) -> (u32, u64) {
        match self {
            Self::All => (MOST_ROWS + 1, 0),
            Self::Of { number, size } => (size, u64::from(number.saturating_sub(1)) * u64::from(size)),
        }
    }
}
