//! The patterns by which terms find their brand (decision D95).

use std::ops::Range;
use std::sync::OnceLock;

use regex::{Regex, RegexSet, RegexSetBuilder};
use thiserror::Error;

use crate::BrandId;
use crate::bounded_regex;
use crate::folding::FoldedText;

/// Characters of a pattern (decision D103).
pub const MAX_MATCH_PATTERN: usize = 500;
/// Bytes of the compiled patterns of all brands together, and of what is remembered of the texts they ran over.
const MAX_SET: usize = 64 << 20;
const MAX_SET_CACHE: usize = 8 << 20;

/// Where a pattern is found in a text, in UTF-16 code units, as browsers count.
pub type TextRange = Range<usize>;

/// Why a pattern is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchPatternError {
    /// It has too many characters.
    TooLong,
    /// It is no regular expression, nests too deep, or has what takes more than linear time, such as references back.
    Unreadable,
    /// It is too large when compiled: it repeats too much.
    TooLarge,
}

impl MatchPatternError {
    /// The code that clients know it by.
    pub const fn code(self) -> &'static str {
        match self {
            Self::TooLong => "length.max",
            Self::Unreadable => "pattern",
            Self::TooLarge => "pattern.size",
        }
    }

    /// What is wrong, after the name of the field.
    pub const fn text(self) -> &'static str {
        match self {
            Self::TooLong => "is longer than 500 characters",
            Self::Unreadable => "is not a regular expression",
            Self::TooLarge => "repeats too much",
        }
    }
}

impl std::fmt::Display for MatchPatternError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for MatchPatternError {}

/// A regular expression over the words of a term. Case and accents do not matter, in the pattern as in the words.
#[derive(Clone, Debug)]
pub struct MatchPattern(Regex);

impl MatchPattern {
    /// Compiles a pattern, written without slashes; it is folded like the texts it searches. Refused if it is too long, cannot be read, or is too
    /// large when compiled.
    pub fn parse(source: &str) -> Result<Self, MatchPatternError> {
        if source.chars().count() > MAX_MATCH_PATTERN {
            return Err(MatchPatternError::TooLong);
        }
        match bounded_regex::compile(FoldedText::new(source).as_str(), true) {
            Ok(regex) => Ok(Self(regex)),
            Err(regex::Error::CompiledTooBig(_)) => Err(MatchPatternError::TooLarge),
            Err(_) => Err(MatchPatternError::Unreadable),
        }
    }

    /// Where the pattern is found; without the places where it is satisfied with no character at all.
    fn ranges(&self, text: &FoldedText) -> Vec<TextRange> {
        let found = self.0.find_iter(text.as_str()).filter(|found| !found.is_empty());
        found
            .map(|found| text.original_offset(found.start())..text.original_offset(found.end()))
            .collect()
    }
}

/// What the patterns of a brand say of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The pattern is not found.
    Apart,
    /// The pattern is found at `at`, but the exclusion at `by`.
    Excluded {
        /// Where the pattern is found.
        at: Vec<TextRange>,
        /// Where the exclusion is.
        by: Vec<TextRange>,
    },
    /// The pattern is found, and no exclusion.
    Matches {
        /// Where it is found, at least once.
        at: Vec<TextRange>,
    },
}

/// The pattern of a brand, and its exclusion.
#[derive(Clone, Debug, Default)]
pub struct BrandPatterns {
    include: Option<MatchPattern>,
    exclude: Option<MatchPattern>,
}

/// Which pattern of a brand is refused, and why.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum BrandPatternsError {
    /// That by which terms are linked.
    #[error("the pattern {0}")]
    Include(MatchPatternError),
    /// That by which they are kept out.
    #[error("the exclusion {0}")]
    Exclude(MatchPatternError),
}

impl BrandPatterns {
    /// Compiles the patterns of a brand. A blank one counts as none: without a pattern nothing matches, without an exclusion nothing is excluded.
    pub fn parse(include: Option<&str>, exclude: Option<&str>) -> Result<Self, BrandPatternsError> {
        let given = |source: Option<&str>| {
            source
                .filter(|source| !source.trim().is_empty())
                .map(MatchPattern::parse)
        };
        Ok(Self {
            include: given(include).transpose().map_err(BrandPatternsError::Include)?,
            exclude: given(exclude).transpose().map_err(BrandPatternsError::Exclude)?,
        })
    }

    /// What the patterns say of a text.
    pub fn judge(&self, text: &str) -> Judgement {
        self.judge_folded(&FoldedText::new(text))
    }

    /// Judges a folded text: `Apart` unless an inclusion is found, whatever the exclusions; then `Excluded` if an exclusion is found too, else
    /// `Matches`; with the ranges of what was found.
    fn judge_folded(&self, text: &FoldedText) -> Judgement {
        let at = self
            .include
            .as_ref()
            .map(|include| include.ranges(text))
            .unwrap_or_default();
        if at.is_empty() {
            return Judgement::Apart;
        }
        let by = self
            .exclude
            .as_ref()
            .map(|exclude| exclude.ranges(text))
            .unwrap_or_default();
        if by.is_empty() {
            Judgement::Matches { at }
        } else {
            Judgement::Excluded { at, by }
        }
    }
}

/// A brand with its patterns as they are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternedBrand {
    /// Id of the brand.
    pub id: BrandId,
    /// Whether it is validated.
    pub validated: bool,
    /// The pattern of its terms.
    pub include: Option<String>,
    /// The pattern of what is none of its terms.
    pub exclude: Option<String>,
}

/// A brand whose patterns match a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Id of the brand.
    pub brand: BrandId,
    /// Whether it is validated.
    pub validated: bool,
    /// The length of the longest text that matches.
    pub length: usize,
}

/// The brands that terms are matched with. It compiles a pattern when a text first needs it.
pub struct BrandMatcher {
    brands: Vec<(PatternedBrand, OnceLock<BrandPatterns>)>,
    /// The patterns of all brands at once; `None` where one is invalid or all together are too large.
    set: Option<RegexSet>,
}

impl BrandMatcher {
    /// The matcher of these brands. Of equally long matches the first brand wins, so give the oldest first. A brand without a pattern, or with an invalid
    /// one, matches nothing.
    pub fn new(oldest_first: Vec<PatternedBrand>) -> Self {
        let is_set = |brand: &PatternedBrand| brand.include.as_ref().is_some_and(|include| !include.trim().is_empty());
        let brands: Vec<_> = oldest_first
            .into_iter()
            .filter(is_set)
            .map(|brand| (brand, OnceLock::new()))
            .collect();
        let sources = brands.iter().map(|(brand, _)| {
            FoldedText::new(brand.include.as_deref().unwrap_or_default())
                .as_str()
                .to_owned()
        });
        let set = RegexSetBuilder::new(sources)
            .case_insensitive(true)
            .size_limit(MAX_SET)
            .dfa_size_limit(MAX_SET_CACHE)
            .build();
        Self { brands, set: set.ok() }
    }

    /// The brands whose patterns match a text, the one with the best claim first: that of the longest match, of several the oldest.
    pub fn claims(&self, text: &str) -> Vec<Claim> {
        let text = FoldedText::new(text);
        let candidates: Vec<usize> = match &self.set {
            Some(set) => set.matches(text.as_str()).into_iter().collect(),
            None => (0..self.brands.len()).collect(),
        };
        let mut claims: Vec<Claim> = candidates
            .into_iter()
            .filter_map(|place| self.claim(place, &text))
            .collect();
        // Equal ones keep their order, which is that of age.
        claims.sort_by_key(|claim| std::cmp::Reverse(claim.length));
        claims
    }

    /// The validated brand with the best claim on a text.
    pub fn winner(&self, text: &str) -> Option<BrandId> {
        let mut claims = self.claims(text).into_iter();
        claims.find(|claim| claim.validated).map(|claim| claim.brand)
    }

    /// The claim of the brand at this index of `brands`; `None` unless its pattern matches the text and its exclusion does not.
    fn claim(&self, place: usize, text: &FoldedText) -> Option<Claim> {
        let (brand, patterns) = &self.brands[place];
        let patterns = patterns.get_or_init(|| {
            BrandPatterns::parse(brand.include.as_deref(), brand.exclude.as_deref()).unwrap_or_default()
        });
        let Judgement::Matches { at } = patterns.judge_folded(text) else {
            return None;
        };
        Some(Claim {
            brand: brand.id,
            validated: brand.validated,
            length: at.iter().map(ExactSizeIterator::len).max()?,
        })
    }
}

/// What becomes of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrandChange {
    /// The brand gets it.
    Link,
    /// The brand gives it up.
    Release,
}

/// What a match of one brand decides for a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchDecision {
    /// What the patterns of the brand say.
    pub judgement: Judgement,
    /// The other brand that holds a matching term or has a claim on it; of several the one with the best claim.
    pub rival: Option<BrandId>,
    /// What becomes of the term; `None` when it stays as it is.
    pub change: Option<BrandChange>,
}

/// The match of one brand: which terms it gets and which it gives up, beside the claims of all others.
pub struct BrandMatch {
    brand: BrandId,
    patterns: BrandPatterns,
    matcher: BrandMatcher,
}

impl BrandMatch {
    /// The match of a brand with these patterns, which take the place of those it has among `oldest_first`. A brand that is not among them is the
    /// youngest.
    pub fn new(brand: PatternedBrand, mut oldest_first: Vec<PatternedBrand>) -> Result<Self, BrandPatternsError> {
        let patterns = BrandPatterns::parse(brand.include.as_deref(), brand.exclude.as_deref())?;
        let id = brand.id;
        match oldest_first.iter_mut().find(|other| other.id == id) {
            Some(stored) => *stored = brand,
            None => oldest_first.push(brand),
        }
        Ok(Self {
            brand: id,
            patterns,
            matcher: BrandMatcher::new(oldest_first),
        })
    }

    /// What becomes of a term with these words that `holder` has now. It goes to the best claim, among those of this brand, of its holder and of
    /// validated brands. A term that this brand holds stays as long as its patterns match, and always without a pattern.
    pub fn decide(&self, words: &str, holder: Option<BrandId>) -> MatchDecision {
        let judgement = self.patterns.judge(words);
        let holds = holder == Some(self.brand);
        if !matches!(judgement, Judgement::Matches { .. }) {
            return MatchDecision {
                judgement,
                rival: None,
                change: (holds && self.patterns.include.is_some()).then_some(BrandChange::Release),
            };
        }
        let mut claims = self.matcher.claims(words);
        claims.retain(|claim| claim.validated || claim.brand == self.brand || Some(claim.brand) == holder);
        let wins = claims.first().is_some_and(|best| best.brand == self.brand);
        let rival = claims
            .iter()
            .map(|claim| claim.brand)
            .find(|brand| *brand != self.brand);
        MatchDecision {
            judgement,
            rival: rival.or(holder.filter(|_| !holds)),
            change: (wins && !holds).then_some(BrandChange::Link),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn brand(id: i32, include: &str, exclude: &str) -> PatternedBrand {
        PatternedBrand {
            id: BrandId(id),
            validated: true,
            include: Some(include.to_owned()),
            exclude: Some(exclude.to_owned()),
        }
    }

    fn judge(include: &str, exclude: &str, text: &str) -> Judgement {
        BrandPatterns::parse(Some(include), Some(exclude)).unwrap().judge(text)
    }

    fn is_found(include: &str, text: &str) -> bool {
        matches!(judge(include, "", text), Judgement::Matches { .. })
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one place")]
    fn case_and_accents_do_not_matter() {
        assert_eq!(
            judge("elegance", "", "Sac ÉLÉGANCE"),
            Judgement::Matches { at: vec![4..12] }
        );
        assert_eq!(
            judge("élégance", "", "sac elegance"),
            Judgement::Matches { at: vec![4..12] }
        );
        assert_eq!(judge("e", "", "👠 e\u{301}"), Judgement::Matches { at: vec![3..5] });
        assert!(!is_found("バッグ", "ハック"));
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one place")]
    fn an_exclusion_keeps_out_what_matches() {
        let excluded = Judgement::Excluded {
            at: vec![4..12],
            by: vec![0..3],
        };
        assert_eq!(judge("brivault", "rue|avenue", "rue brivault"), excluded);
        assert_eq!(judge("brivault", "rue|avenue", "rue corvane"), Judgement::Apart);
        assert_eq!(
            judge("brivault", "  ", "brivault"),
            Judgement::Matches { at: vec![0..8] }
        );
        assert_eq!(judge(" ", "", "brivault"), Judgement::Apart);
    }

    #[test]
    fn a_strict_pattern_takes_whole_words_alone() {
        assert!(is_found(r"\b(?:brivault|brivaut)\b", "sac brivaut"));
        assert!(!is_found(r"\b(?:brivault|brivaut)\b", "bague brivaultine"));
    }

    #[test]
    fn nothing_at_all_is_no_match() {
        for pattern in ["x*", "brivault|", "^", "()"] {
            assert!(!is_found(pattern, "sac rouge"), "{pattern}");
        }
        assert!(is_found(".*", "sac rouge"));
        assert!(is_found("brivault|", "sac brivault"));
    }

    #[test]
    fn hostile_patterns_are_refused() {
        for (hostile, error) in [
            (r"(a|a)*\1$", MatchPatternError::Unreadable),
            ("(?=a)", MatchPatternError::Unreadable),
            ("(", MatchPatternError::Unreadable),
            (&"(".repeat(100), MatchPatternError::Unreadable),
            (
                &format!("{}a{}", "(".repeat(100), ")".repeat(100)),
                MatchPatternError::Unreadable,
            ),
            ("(?:a{1000}){1000}", MatchPatternError::TooLarge),
            (r"(?i)[\s\S]{0,5000}x", MatchPatternError::TooLarge),
            (r"[\w]{500}", MatchPatternError::TooLarge),
            (r"\pL{1000}", MatchPatternError::TooLarge),
            (&"é".repeat(501), MatchPatternError::TooLong),
        ] {
            assert_eq!(MatchPattern::parse(hostile).unwrap_err(), error, "{hostile}");
        }
        assert!(MatchPattern::parse(&"é".repeat(500)).is_ok());
        let error = BrandPatterns::parse(Some("a"), Some("(")).unwrap_err();
        assert_eq!(error, BrandPatternsError::Exclude(MatchPatternError::Unreadable));
    }

    #[test]
    fn the_longest_match_wins_and_then_the_oldest_brand() {
        let brands = vec![
            brand(3, "corvane", ""),
            brand(1, "brivault", "rue"),
            brand(2, "maison brivault|brivault", ""),
        ];
        let matcher = BrandMatcher::new(brands);
        for (text, winner) in [
            ("corvane", Some(3)),
            ("corvane brivault", Some(1)),
            ("rue brivault", Some(2)),
            ("Maison Brivault", Some(2)),
            ("sac", None),
        ] {
            assert_eq!(matcher.winner(text), winner.map(BrandId), "{text}");
        }
    }

    #[test]
    fn a_brand_whose_stored_pattern_is_invalid_leaves_the_others_theirs() {
        let matcher = BrandMatcher::new(vec![brand(1, "(", ""), brand(2, "sac", "")]);
        assert_eq!(matcher.winner("sac"), Some(BrandId(2)));
    }

    #[test]
    fn a_brand_gets_what_it_has_the_best_claim_on_and_gives_up_what_no_longer_matches() {
        let others = || {
            let hidden = PatternedBrand {
                validated: false,
                ..brand(3, "corvane brivault outlet", "")
            };
            vec![brand(1, "old", ""), brand(2, "corvane", ""), hidden]
        };
        let of_one = BrandMatch::new(brand(1, "brivault", "rue"), others()).unwrap();
        let decide = |words: &str, holder: Option<i32>| {
            let decision = of_one.decide(words, holder.map(BrandId));
            (decision.change, decision.rival.map(|rival| rival.0))
        };
        let (link, release) = (Some(BrandChange::Link), Some(BrandChange::Release));
        assert_eq!(decide("brivault", None), (link, None));
        assert_eq!(decide("brivault corvane", None), (link, Some(2)));
        assert_eq!(decide("brivault corvane", Some(2)), (link, Some(2)));
        assert_eq!(decide("brivault", Some(9)), (link, Some(9)), "held without a claim");
        assert_eq!(
            decide("corvane brivault outlet", None),
            (link, Some(2)),
            "the third is not validated"
        );
        assert_eq!(
            decide("corvane brivault outlet", Some(3)),
            (None, Some(3)),
            "but holds it here"
        );
        assert_eq!(decide("brivault", Some(1)), (None, None));
        assert_eq!(decide("rue brivault", Some(1)), (release, None));
        assert_eq!(decide("old", Some(1)), (release, None), "by its former pattern");
        assert_eq!(decide("sac", Some(2)), (None, None));
        let of_new = BrandMatch::new(brand(0, "rivault", ""), others()).unwrap();
        assert_eq!(
            of_new.decide("rivault corvane", None).change,
            None,
            "as long, and younger"
        );
    }

    /// Words of a few letters with and without accents, so that patterns are often found.
    fn words() -> impl Strategy<Value = String> {
        "[aàeéEÉ b👠]{0,12}"
    }

    proptest! {
        #[test]
        fn no_pattern_panics(pattern in "\\PC{0,60}", text in words()) {
            if let Ok(patterns) = BrandPatterns::parse(Some(&pattern), None) {
                patterns.judge(&text);
            }
        }

        /// Each range names the text that was looked for, in any case and with any accents.
        #[test]
        fn ranges_name_what_was_found(looked_for in "[aàeéEÉb👠]{1,3}", text in words()) {
            let folded = |text: &str| FoldedText::new(text).as_str().to_lowercase();
            let units: Vec<u16> = text.encode_utf16().collect();
            let found = judge(&regex::escape(&looked_for), "", &text);
            prop_assert_eq!(found != Judgement::Apart, folded(&text).contains(&folded(&looked_for)));
            if let Judgement::Matches { at } = found {
                for range in at {
                    let named = String::from_utf16(&units[range]).unwrap();
                    prop_assert_eq!(folded(&named), folded(&looked_for));
                }
            }
        }

        /// After a match nothing is left to match: the brand gives up nothing that it got, and gets nothing that it gave up.
        #[test]
        fn a_second_match_changes_nothing(mine in "[ae b]{1,3}", not in "[ab]{2}", theirs in "[ae b]{1,3}", text in words(), holder in 0..3) {
            let of_one = BrandMatch::new(brand(1, &mine, &not), vec![brand(1, "", ""), brand(2, &theirs, "")]).unwrap();
            let holder = (holder > 0).then_some(BrandId(holder));
            let after = match of_one.decide(&text, holder).change {
                Some(BrandChange::Link) => Some(BrandId(1)),
                Some(BrandChange::Release) => None,
                None => holder,
            };
            prop_assert_eq!(of_one.decide(&text, after).change, None);
        }
    }
    proptest! {
        // Compiling a set takes long in an unoptimised build.
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// All at once or one by one, the claims are the same, and the best is that of the longest match and the oldest brand.
        #[test]
        fn the_set_finds_what_each_finds(sources in proptest::collection::vec("[ae b]{1,3}(\\|[ae]{1,2})?[*+]?", 1..6), text in words()) {
            let brands: Vec<_> = (1..).zip(&sources).map(|(id, source)| brand(id, source, "")).collect();
            let together = BrandMatcher::new(brands.clone());
            let mut alone = BrandMatcher::new(brands);
            alone.set = None;
            let claims = together.claims(&text);
            prop_assert_eq!(&claims, &alone.claims(&text));
            for pair in claims.windows(2) {
                let in_order = (std::cmp::Reverse(pair[0].length), pair[0].brand) < (std::cmp::Reverse(pair[1].length), pair[1].brand);
                prop_assert!(in_order, "{:?}", claims);
            }
        }
    }
}
