//! The words of Vigie: ids, enums and value types that every other crate shares. No I/O.
//!
//! A type belongs here when two stores, or the API and a store, must agree on it.

mod action;
mod ad;
mod auto_match;
mod bounded_regex;
mod capture;
mod folding;
mod ids;
mod job;
mod language;
mod locale;
mod mail;
mod mail_address;
mod official;
mod partner;
mod regions;
mod reminders;
pub mod resources;
mod role;
mod scope;
mod term;
mod web_host;

pub use action::{ActionEvent, ActionStatus, BlockReason};
pub use ad::{AdKind, Block};
pub use auto_match::{
    BrandChange, BrandMatch, BrandMatcher, BrandPatterns, BrandPatternsError, Claim, Judgement, MAX_MATCH_PATTERN,
    MatchDecision, MatchPattern, MatchPatternError, PatternedBrand, TextRange,
};
pub use capture::{CaptureFailure, MissedReason, SlotState, Verdict};
pub use folding::slug;
pub use ids::{
    ActionId, AttachmentId, BrandId, CaptureId, CategoryId, CompanyAccountId, ContactId, DealerId, EmailId, FileId,
    LocalizationId, RoleId, SlotId, TermId, UserId,
};
pub use job::{Job, JobOutcome};
pub use language::Language;
pub use locale::{Locale, LocaleError};
pub use mail::MailKind;
pub use mail_address::is_mail_address;
pub use official::{Officials, has_subdomains};
pub use partner::{PartnerAd, PartnerKind, PartnerTerms, Partners};
pub use regions::{Region, regions};
pub use reminders::{MachineStep, NextStep, OutreachState, ReminderSettings};
pub use role::Role;
pub use scope::{Actor, Scope, SystemScope};
pub use term::{Device, Engine, Frequency, KeywordType, TermState};
pub use web_host::WebHost;
