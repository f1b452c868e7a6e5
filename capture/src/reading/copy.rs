//! The viewing copy of a page.

use url::Url;
use vocabulary::Engine;

use super::ReadPage;

/// Reads a page and makes its viewing copy from the same tree.
pub fn read_and_copy(page: &str, engine: Engine, base: &Url) -> (ReadPage, String) {
    let _ = base;
    (super::read(page, engine), page.to_owned())
}

/// The viewing copy of a page.
pub fn viewing_copy(page: &str, engine: Engine, base: &Url) -> String {
    read_and_copy(page, engine, base).1
}
