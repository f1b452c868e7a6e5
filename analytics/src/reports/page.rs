//! The part of a list that is read, and the direction of its order.

use clickhouse::{RowOwned, RowRead};
use strum::{Display, EnumString, VariantArray};

use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// Rows of a response that is not paged (decision D11); more is 'too many results'.
pub const MOST_ROWS: u32 = 10_000;

/// The direction of an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantArray)]
#[strum(serialize_all = "UPPERCASE", ascii_case_insensitive)]
pub enum Direction {
    /// The smallest value first.
    Asc,
    /// The largest value first.
    #[default]
    Desc,
}

/// Which rows of a list are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// Every row, at most [`MOST_ROWS`].
    All,
    /// One page of the list.
    Of {
        /// Number, from 1.
        number: u32,
        /// Rows a page.
        size: u32,
    },
}

impl Page {
    /// The rows of the page, and a row to read the totals of the list from: the first of the page or, past the last page, the first of the list. It
    /// is `None` only if the list is empty. `total` reads the length of the list off a row.
    ///
    /// # Errors
    /// [`Error::TooMany`] for [`Page::All`] when there are more than [`MOST_ROWS`].
    pub(super) async fn fetch<R>(
        self,
        client: &Client,
        list: Statement,
        total: fn(&R) -> u64,
    ) -> Result<(Vec<R>, Option<R>), Error>
    where
        R: RowOwned + RowRead + Clone + Send + Sync,
    {
        let (limit, offset) = self.limit_and_offset();
        let rows: Vec<R> = client.fetch_shared(page_of(list.clone(), limit, offset)).await?;
        let first = match rows.first() {
            Some(first) => Some(first.clone()),
            None if offset > 0 => client.fetch_shared(page_of(list, 1, 0)).await?.pop(),
            None => None,
        };
        if self == Self::All && first.as_ref().map_or(0, total) > u64::from(MOST_ROWS) {
            return Err(Error::TooMany);
        }
        Ok((rows, first))
    }

    /// The limit and offset of the page; page 0 counts as 1. For [`Page::All`] the limit is one row more than allowed, so that too many are noticed.
    fn limit_and_offset(self) -> (u32, u64) {
        match self {
            Self::All => (MOST_ROWS + 1, 0),
            Self::Of { number, size } => (size, u64::from(number.saturating_sub(1)) * u64::from(size)),
        }
    }
}

/// The list with its limit and offset set.
pub(super) fn page_of(list: Statement, limit: u32, offset: u64) -> Statement {
    list.with("limit", Value::Unsigned(limit.into()))
        .with("offset", Value::Unsigned(offset))
}
