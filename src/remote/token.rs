//! Secrets that peers know each other by.

use std::fmt;
use std::hint::black_box;
use std::sync::Arc;

use crate::error::Error;
use crate::remote::limits::{TOKEN_BYTES_MAX, TOKEN_BYTES_MIN};

/// A secret that a node shows when it connects, and accepts from who connects.
///
/// It is not printed, and is compared in a time that does not depend on what is in it.
///
/// ```
/// use greenroom::remote::Token;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let token = Token::new("8f14e45fceea167a5a36dedd4bea2543")?;
/// assert!(Token::new("secret").is_err()); // too short
/// # drop(token);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Token(Arc<[u8]>);

impl Token {
    /// A token of these bytes: [`TOKEN_BYTES_MIN`] at least, best from a generator of random ones.
    ///
    /// # Errors
    ///
    /// When they are too few to be a secret, or more than [`TOKEN_BYTES_MAX`].
    pub fn new(bytes: impl AsRef<[u8]>) -> Result<Self, TokenError> {
        let bytes = bytes.as_ref();
        match bytes.len() {
            TOKEN_BYTES_MIN..=TOKEN_BYTES_MAX => Ok(Self(bytes.into())),
            length => Err(TokenError(length)),
        }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether these are its bytes. Each pair of bytes is looked at, whatever those before are.
    pub(super) fn is(&self, shown: &[u8]) -> bool {
        let pairs = self.0.iter().zip(shown);
        let differing = pairs.fold(0, |all, (own, other)| black_box(all | (own ^ other)));
        self.0.len() == shown.len() && differing == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// A token that is too short or too long.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TokenError(usize);

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a token has {TOKEN_BYTES_MIN} to {TOKEN_BYTES_MAX} bytes, not {}",
            self.0
        )
    }
}

impl std::error::Error for TokenError {}

impl From<TokenError> for Error {
    fn from(error: TokenError) -> Self {
        Self::new(error)
    }
}
