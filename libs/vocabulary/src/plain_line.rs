//! Texts of users in the headers of mails.

/// Characters of a line: longer ones are cut.
const LONGEST: usize = 200;

/// A text as one line without control characters and without those that change the direction of what comes after them.
pub fn plain_line(text: &str) -> String {
    let visible: String = text
        .chars()
        .map(|character| if character.is_whitespace() { ' ' } else { character })
        .filter(|character| !character.is_control() && !is_hidden(*character))
        .collect();
    let words: Vec<&str> = visible.split(' ').filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(LONGEST).collect()
}

/// Whether a text is a line that needs no change: within the limit of length, and without the characters that [`plain_line`] takes out.
pub fn is_plain_line(text: &str) -> bool {
    text.chars().count() <= LONGEST
        && !text
            .chars()
            .any(|character| character.is_control() || is_hidden(character))
}

/// Marks of direction, line and paragraph separators, and characters without a width.
const fn is_hidden(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_no_breaks_and_nothing_that_turns_it_round() {
        let evil = "Weekly\r\nBcc: eve@evil.example \u{202e}gpj.exe\u{7}";
        assert_eq!(plain_line(evil), "Weekly Bcc: eve@evil.example gpj.exe");
        assert!(!is_plain_line(evil));
        assert!(is_plain_line("Résumé de la semaine"));
        assert_eq!(plain_line(&"a".repeat(300)).len(), 200);
    }
}
