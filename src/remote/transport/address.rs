//! Where a node is.

use std::fmt;
use std::net::SocketAddr;
#[cfg(unix)]
use std::path::{Path, PathBuf};

use super::memory::MemoryAddress;

/// Where a node listens.
///
/// Text is the host and port of TCP, unless it begins with `unix:`, where the rest is a path.
///
/// ```
/// use greenroom::remote::Address;
///
/// assert_eq!(Address::from("localhost:4000"), Address::Tcp("localhost:4000".into()));
/// # #[cfg(unix)]
/// assert_eq!(Address::from("unix:/run/a.sock"), Address::Unix("/run/a.sock".into()));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Address {
    /// Host and port. Port 0 is any that is free, for who listens.
    Tcp(String),
    /// A socket in the file system, for processes of the same user.
    #[cfg(unix)]
    Unix(PathBuf),
    /// A name on a network within the process.
    Memory(MemoryAddress),
}

impl From<&str> for Address {
    fn from(text: &str) -> Self {
        #[cfg(unix)]
        if let Some(path) = text.strip_prefix("unix:") {
            return Self::Unix(path.into());
        }
        Self::Tcp(text.to_owned())
    }
}

impl From<String> for Address {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        Self::Tcp(address.to_string())
    }
}

#[cfg(unix)]
impl From<&Path> for Address {
    fn from(path: &Path) -> Self {
        Self::Unix(path.to_owned())
    }
}

impl From<&Address> for Address {
    fn from(address: &Address) -> Self {
        address.clone()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => f.write_str(address),
            #[cfg(unix)]
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Memory(address) => address.fmt(f),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
