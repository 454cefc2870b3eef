//! Which kind of runtime.

use super::{Face, Kind};
use crate::setting::Setting;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Flavor {
    CurrentThread,
    MultiThread,
    /// tokio's own, for tasks that stay on their thread.
    Local,
}

impl Flavor {
    /// A program wants its cores; a test wants to be the same each time.
    pub(super) fn default_of(kind: Kind) -> Self {
        match kind {
            Kind::Main => Self::MultiThread,
            Kind::Test => Self::CurrentThread,
        }
    }

    pub(super) fn read(face: Face, setting: &Setting) -> syn::Result<Self> {
        let text = setting.text("flavor = \"current_thread\"")?;
        let message = match (text.value().as_str(), face) {
            ("current_thread", _) => return Ok(Self::CurrentThread),
            ("multi_thread", _) => return Ok(Self::MultiThread),
            ("local", Face::Tokio) => return Ok(Self::Local),
            ("local", Face::Greenroom) => {
                "there is no flavor `local`: take `current_thread`, and run what is not `Send` in \
                 a `tokio::task::LocalSet`"
                    .to_owned()
            }
            (other, _) => match Self::meant(other) {
                Some(name) => format!("unknown flavor `{other}`; did you mean `{name}`?"),
                None => format!(
                    "unknown flavor `{other}`; there are `current_thread` and `multi_thread`"
                ),
            },
        };
        Err(syn::Error::new_spanned(text, message))
    }

    /// The flavor that goes under another name in tokio's past, or in the mind of whoever wrote it.
    pub(super) fn meant(name: &str) -> Option<&'static str> {
        let has = |part| name.contains(part);
        if has("multi") || has("threaded_") || has("pool") {
            Some("multi_thread")
        } else if has("current") || has("single") || has("basic") {
            Some("current_thread")
        } else {
            None
        }
    }
}
