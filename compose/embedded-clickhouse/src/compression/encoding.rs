use crate::exception::{ServerError, code};

/// How a body is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Identity,
    /// ClickHouse's blocks of LZ4 with checksums; no HTTP encoding.
    Blocks,
    Zstd,
    Lz4,
    Brotli,
    Gzip,
    Deflate,
}

/// HTTP encodings in order of preference.
const OFFERED: [Encoding; 5] = [
    Encoding::Zstd,
    Encoding::Lz4,
    Encoding::Brotli,
    Encoding::Gzip,
    Encoding::Deflate,
];

impl Encoding {
    /// Returns the name in `Content-Encoding`; `None` for plain bodies and for ClickHouse's blocks.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Self::Identity | Self::Blocks => None,
            Self::Zstd => Some("zstd"),
            Self::Lz4 => Some("lz4"),
            Self::Brotli => Some("br"),
            Self::Gzip => Some("gzip"),
            Self::Deflate => Some("deflate"),
        }
    }

    /// Parses a request's `Content-Encoding`, in any case: `x-gzip` is gzip, and an empty value is `Identity`. Fails with NOT_IMPLEMENTED for any
    /// other name or a list of several; never returns `Blocks`.
    pub(crate) fn of_content(name: &str) -> Result<Self, ServerError> {
        let name = name.trim().to_ascii_lowercase();
        match name.as_str() {
            "" | "identity" => Ok(Self::Identity),
            "x-gzip" => Ok(Self::Gzip),
            _ => OFFERED.into_iter().find(|encoding| encoding.name() == Some(&name)).ok_or_else(|| {
                ServerError::new(code::NOT_IMPLEMENTED, "NOT_IMPLEMENTED", format!(
                    "Unknown compression method '{name}' in the Content-Encoding header: use zstd, lz4, br, gzip or deflate"
                ))
            }),
        }
    }

    /// Chooses the encoding of a response by the `Accept-Encoding` of its request: the first of [`OFFERED`] that it names with a weight other than 0,
    /// whatever the order and other weights; else `Identity`. `*` is ignored.
    pub(crate) fn accepted(accept: &str) -> Self {
        let offers = |name: &str| {
            accept.split(',').any(|offer| {
                let mut parts = offer.split(';').map(str::trim);
                parts.next().is_some_and(|offered| offered.eq_ignore_ascii_case(name))
                    && !parts.any(|weight| matches!(weight, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
            })
        };
        OFFERED
            .into_iter()
            .find(|encoding| encoding.name().is_some_and(offers))
            .unwrap_or(Self::Identity)
    }
}

#[cfg(test)]
mod tests {
    use super::Encoding;

    #[test]
    fn takes_the_best_encoding_that_a_client_offers() {
        assert_eq!(Encoding::accepted("gzip, deflate, br"), Encoding::Brotli);
        assert_eq!(Encoding::accepted("lz4"), Encoding::Lz4);
        assert_eq!(Encoding::accepted("zstd;q=0, gzip;q=0.5"), Encoding::Gzip);
        assert_eq!(Encoding::accepted(""), Encoding::Identity);
    }

    #[test]
    fn refuses_an_unknown_content_encoding() {
        assert_eq!(
            Encoding::of_content("compress").map_err(|exception| exception.status()),
            Err(501)
        );
        assert_eq!(Encoding::of_content("GZIP"), Ok(Encoding::Gzip));
    }
}
