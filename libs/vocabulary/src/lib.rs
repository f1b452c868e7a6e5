//! The words of Vigie: ids, enums and value types that every other crate shares. No I/O.
//!
//! A type belongs here when two stores, or the API and a store, must agree on it.

mod action;
mod ad;
mod alert_schedule;
mod auto_match;
mod bounded_regex;
mod capture;
mod case_mail;
mod cron;
mod escalation;
mod folding;
mod ids;
mod job;
mod language;
mod locale;
mod mail;
mod mail_address;
mod official;
mod partner;
mod plain_line;
mod received_mail;
mod regions;
mod reminders;
pub mod resources;
mod role;
mod scope;
mod term;
mod web_host;
mod working_hours;

pub use action::{ActionEvent, ActionStatus, BlockReason};
pub use ad::{AdKind, Block};
pub use alert_schedule::{AlertSchedule, AlertScheduleError, Every};
pub use auto_match::{
    BrandChange, BrandMatch, BrandMatcher, BrandPatterns, BrandPatternsError, Claim, Judgement, MAX_MATCH_PATTERN,
    MatchDecision, MatchPattern, MatchPatternError, PatternedBrand, TextRange,
};
pub use capture::{CaptureFailure, MissedReason, SlotState, Verdict};
pub use case_mail::{CaseMailKind, DeliveryState, MailStatus};
pub use cron::{Cron, CronError};
pub use escalation::{EscalationObstacle, RegisteredMark, escalation_obstacle, names_mark};
pub use folding::{slug, whole_words};
pub use ids::{
    ActionId, AttachmentId, BrandId, CaptureId, CategoryId, CompanyAccountId, ContactId, DealerId, DeliveryId, EmailId,
    FileId, LocalizationId, RoleId, SlotId, TemplateId, TermId, UserId,
};
pub use job::{Job, JobOutcome};
pub use language::Language;
pub use locale::{Locale, LocaleError};
pub use mail::MailKind;
pub use mail_address::is_mail_address;
pub use official::{Officials, has_subdomains};
pub use partner::{PartnerAd, PartnerKind, PartnerTerms, Partners};
pub use plain_line::{is_plain_line, plain_line};
pub use received_mail::{Automatic, DeliveryReport, MailSource, MailToken, MailVerdict};
pub use regions::{Region, regions};
pub use reminders::{MachineStep, NextStep, OutreachState, ReminderSettings, reminder_run_on};
pub use role::Role;
pub use scope::{Actor, Scope, SystemScope};
pub use term::{Device, Engine, Frequency, KeywordType, LONGEST_WORDS, TermState};
pub use web_host::WebHost;
pub use working_hours::{next_working_time, time_zone_of};
