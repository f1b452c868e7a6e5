//! Stop and Go: its brands and keywords, the lanes that they are decided in, and what is known of these (decisions D193 to D198).

pub mod brands;
pub mod days;
pub mod decisions;
pub mod keywords;
pub mod lanes;
pub mod lists;
pub mod notices;
pub mod readings;
