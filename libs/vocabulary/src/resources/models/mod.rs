//! The descriptors of all resources.

mod actions;
mod brands;
mod categories;
mod dealers;
mod sems;
mod terms;
mod users;

pub use actions::{ACTION, ATTACHMENT, EMAIL};
pub use brands::{BRAND, COMPANY_ACCOUNT};
pub use categories::{CATEGORY, CATEGORY_DEALER};
pub use dealers::{CONTACT, DEALER};
pub use sems::SEM;
pub use terms::{LOCALIZATION, TERM};
pub use users::{ACCESS_TOKEN, ALERT, FILE, ROLE, ROLE_MAPPING, USER_ACCOUNT};

use super::model::{Field, Kind, Model};

/// The ten resources with paths of their own.
pub static RESOURCES: [&Model; 10] = [
    &ACTION,
    &BRAND,
    &CATEGORY,
    &COMPANY_ACCOUNT,
    &DEALER,
    &LOCALIZATION,
    &ROLE,
    &SEM,
    &TERM,
    &USER_ACCOUNT,
];

/// Every model, with those that only relations lead to.
pub static ALL: [&Model; 17] = [
    &ACTION,
    &BRAND,
    &CATEGORY,
    &COMPANY_ACCOUNT,
    &DEALER,
    &LOCALIZATION,
    &ROLE,
    &SEM,
    &TERM,
    &USER_ACCOUNT,
    &CONTACT,
    &EMAIL,
    &ATTACHMENT,
    &ALERT,
    &ACCESS_TOKEN,
    &ROLE_MAPPING,
    &FILE,
];

const ID: Field = Field::new("id", "id", Kind::Id);

const fn text(name: &'static str, column: &'static str) -> Field {
    Field::new(name, column, Kind::Text)
}

const fn flag(name: &'static str, column: &'static str) -> Field {
    Field::new(name, column, Kind::Flag)
}

const fn number(name: &'static str, column: &'static str) -> Field {
    Field::new(name, column, Kind::Number)
}

const fn whole(name: &'static str, column: &'static str) -> Field {
    Field::new(name, column, Kind::Whole)
}

const fn date(name: &'static str, column: &'static str) -> Field {
    Field::new(name, column, Kind::Date)
}

const fn json(name: &'static str, column: &'static str) -> Field {
    Field::new(name, column, Kind::Json)
}

const fn list(name: &'static str, column: &'static str) -> Field {
    Field::new(name, column, Kind::List)
}

const fn key(name: &'static str, column: &'static str) -> Field {
    Field::new(name, column, Kind::Key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn related_rows_stand_beside_the_fields_of_a_row() {
        for model in ALL {
            for relation in model.relations.iter().filter(|relation| relation.includable) {
                assert!(model.field(relation.name).is_none(), "{}.{}", model.name, relation.name);
            }
        }
    }
}
