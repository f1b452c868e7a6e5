//! Which advertisers of a list are authorised partners or resellers of a brand.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use postgres::partners;
use texts::text;
use vocabulary::{BrandId, Language, Partners, Scope};

use crate::failure::ApiError;
use crate::list_file::Cell;
use crate::state::ApiState;

/// The partners of the brands that a reader sees.
pub(crate) struct SeenPartners {
    of_brands: BTreeMap<BrandId, Partners>,
    today: NaiveDate,
}

impl SeenPartners {
    /// Reads the partners of all brands in scope.
    pub(crate) async fn read(state: &ApiState, scope: &Scope) -> Result<Self, ApiError> {
        Ok(Self {
            of_brands: partners::of_all_brands(&state.postgres, scope).await?,
            today: state.clock.now().date_naive(),
        })
    }

    /// What a host is at present to a brand or, without one, to the first brand that it is something to: `partner` or `reseller`.
    pub(crate) fn kind_of(&self, brand: Option<BrandId>, host: &str) -> Option<String> {
        let mut brands = self
            .of_brands
            .iter()
            .filter(|(id, _)| brand.is_none_or(|brand| brand == **id));
        brands.find_map(|(_, partners)| {
            let terms = partners.of_host(host).filter(|terms| terms.last_on(self.today))?;
            Some(terms.kind.to_string())
        })
    }
}

/// What a host is to a brand, as the cell of a file: the word of the screen, empty for neither.
pub(crate) fn partner_cell(kind: Option<&str>, language: Language) -> Cell {
    let word = match kind {
        Some("partner") => text(language, "monitoring:partner.partner"),
        Some("reseller") => text(language, "monitoring:partner.reseller"),
        _ => "",
    };
    Cell::Text(word.to_owned())
}
