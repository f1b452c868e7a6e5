//! ClickHouse's tokens, as far as needed to find keywords outside of texts, names and comments.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A keyword, bare name or number.
    Word,
    /// A text or name in quotes, or a here-document.
    Quoted,
    /// One byte of anything else.
    Symbol(u8),
}

/// A token with its position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// How many brackets enclose it.
    pub(super) depth: usize,
}

impl Token {
    /// Whether this is the keyword `word`, in any case.
    pub(super) fn is_word(&self, text: &[u8], word: &str) -> bool {
        self.kind == Kind::Word && text[self.start..self.end].eq_ignore_ascii_case(word.as_bytes())
    }
}

/// Iterates over the tokens of a text, without white space and comments.
pub(super) struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    depth: usize,
}

impl<'a> Lexer<'a> {
    /// Creates a lexer at the start of a text.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    /// Creates a lexer that starts at byte `at`, at depth 0.
    pub(super) fn from(text: &'a [u8], at: usize) -> Self {
        Self { text, at, depth: 0 }
    }

    fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    /// Advances to the next token or the end, past white space and comments (`--`, `#!`, `# ` and `/* */`).
    fn skip_blanks_and_comments(&mut self) {
        loop {
            let rest = self.rest();
            if rest.first().is_some_and(u8::is_ascii_whitespace) {
                self.at += 1;
            } else if rest.starts_with(b"--") || rest.starts_with(b"#!") || rest.starts_with(b"# ") {
                self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            } else if rest.starts_with(b"/*") {
                self.at += length_of_comment(rest);
            } else {
                return;
            }
        }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    /// Returns the next token; `None` at the end. A bracket, opening or closing, has the depth of what is around the pair.
    fn next(&mut self) -> Option<Token> {
        self.skip_blanks_and_comments();
        let rest = self.rest();
        let first = *rest.first()?;
        let (kind, length) = match first {
            b'\'' | b'"' | b'`' => (Kind::Quoted, length_of_quoted(rest, first)),
            b'$' if length_of_heredoc(rest).is_some() => (Kind::Quoted, length_of_heredoc(rest).unwrap_or(1)),
            _ if is_word_byte(first) => {
                let goes_on = |byte: u8| is_word_byte(byte) || byte == b'.' && first.is_ascii_digit();
                (
                    Kind::Word,
                    rest.iter().position(|&byte| !goes_on(byte)).unwrap_or(rest.len()),
                )
            }
            symbol => (Kind::Symbol(symbol), 1),
        };
        if matches!(first, b')' | b']' | b'}') {
            self.depth = self.depth.saturating_sub(1);
        }
        let token = Token {
            kind,
            start: self.at,
            end: self.at + length,
            depth: self.depth,
        };
        if matches!(first, b'(' | b'[' | b'{') {
            self.depth += 1;
        }
        self.at = token.end;
        Some(token)
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the length in bytes of the block comment (`/* */`) that a text starts with, with its delimiters. Comments nest; an unterminated one
/// extends to the end of the text.
fn length_of_comment(text: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        match &text[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Returns the length of the quoted text that a text starts with, with its quotes. A backslash or a doubled quote escapes a quote; an unterminated
/// one extends to the end.
fn length_of_quoted(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() {
        match &text[at..] {
            [b'\\', _, ..] => at += 2,
            [first, second, ..] if *first == quote && *second == quote => at += 2,
            [first, ..] if *first == quote => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// Returns the length of `$tag$ … $tag$` at the start of a text; `None` when the dollar starts no tag or the tag does not recur.
fn length_of_heredoc(text: &[u8]) -> Option<usize> {
    let tag = 2 + text[1..]
        .iter()
        .position(|&byte| !is_word_byte(byte))
        .filter(|&length| text[1 + length] == b'$')?;
    let (open, rest) = text.split_at(tag);
    rest.windows(open.len())
        .position(|window| window == open)
        .map(|at| tag + at + open.len())
}
