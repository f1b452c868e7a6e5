//! The descriptors of all resources.

mod actions;
mod brands;
mod categories;
mod dealers;
mod joins;
mod relations;
mod sems;
mod terms;
mod users;

pub use actions::ATTACHMENT;
pub use dealers::CONTACT;
pub use joins::CATEGORY_DEALER;
pub use relations::{
    ACTION, BRAND, CATEGORY, COMPANY_ACCOUNT, DEALER, EMAIL, LOCALIZATION, ROLE, SEM, TERM, USER_ACCOUNT,
};
pub use users::{ACCESS_TOKEN, ALERT, FILE, ROLE_MAPPING};

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
    fn what_a_condition_joins_belongs_to_no_user() {
        // Readers who see the same brands would otherwise not see the same rows of a change stream.
        let joined: Vec<_> = ALL
            .iter()
            .flat_map(|model| model.relations.iter().filter(|relation| relation.in_where))
            .collect();
        assert!(!joined.is_empty());
        for relation in joined {
            assert!(!relation.target.sight.is_of_user(), "{}", relation.name);
        }
    }

    #[test]
    fn no_relation_has_the_name_of_a_field() {
        for model in ALL {
            for relation in model.relations.iter().filter(|relation| relation.includable) {
                assert!(model.field(relation.name).is_none(), "{}.{}", model.name, relation.name);
            }
        }
    }
}
