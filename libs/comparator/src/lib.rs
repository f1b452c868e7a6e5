//! Products of a brand that others offer below its own price: prices read off shopping ads, offers of one product brought together, and each compared
//! with what the brand itself asked for on that day. No I/O.

mod compare;
mod price;
mod product;

pub use compare::{Comparison, OWN_PRICE_HOLDS, Offer, Offered, OwnPrice, Product, compare};
pub use price::Price;
