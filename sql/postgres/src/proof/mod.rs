//! What becomes of an advertiser's word: captures that look whether its ads are gone, the ads that were seen again, and what each template achieves.

pub mod checks;
pub mod relapses;
pub mod results;
