//! Stop and Go: when a brand stops paying for ads on its own searches. The rule ([`decide()`]) is pure: it knows neither stores nor the clock, so that the live
//! worker, the dry run and the tests decide by the same function. [`live`] asks it about stored lanes.
//!
//! A wrong stop loses sales to a competitor, a wrong go costs a few clicks: a lane is slow to stop and quick to go (decisions D193 to D197).

mod decide;
mod dry_run;
mod guards;
mod lane;
pub mod live;
mod negative_list;
mod reading;
mod savings;
mod settings;

pub use decide::{Action, Decision, Rule, decide, next_event};
pub use dry_run::{DryRun, LaneHistory, Span, dry_run};
pub use guards::{Guard, GuardFacts, GuardLine, guards};
pub use lane::{Circumstances, Lane, LaneState, Source, Switch};
pub use negative_list::{Coverage, NegativeList, NegativeListError, NegativeLists, TextOutcome, Urgency};
pub use reading::{JudgedPage, PageFacts, Reading, ReadingVerdict, Readings, judge};
pub use savings::{Base, DaySaving, LaneDay, Rates, TypedAverages, saving_of_day, typed_saving};
pub use settings::{Mode, SettingNumber, Settings};
