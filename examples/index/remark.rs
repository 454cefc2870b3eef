//! What is said about a path: why it was passed over, or what was odd about it.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::limits::{DEPTH_MAX, REMARKED_PATHS_MAX};

/// One kind of remark. Those down to `ManyFiles` mean that nothing was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remark {
    Vanished,
    Unreadable,
    Binary,
    Loop,
    Link,
    Special,
    Hidden,
    Deep,
    ManyFiles,
    InvalidUtf8,
    LongLine,
    LongWord,
}

impl Remark {
    /// What went wrong at a path that could not be opened or read.
    pub fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Remark::Vanished,
            _ => Remark::Unreadable,
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Remark::Vanished => "vanished before they were read",
            Remark::Unreadable => "could not be read",
            Remark::Binary => "binary, passed over",
            Remark::Loop => "links that lead back to where they are, not followed",
            Remark::Link => "other symbolic links, not followed",
            Remark::Special => "neither file nor directory, passed over",
            Remark::Hidden => "hidden or cache directories, not entered",
            Remark::Deep => return write!(f, "directories below level {DEPTH_MAX}, not entered"),
            Remark::ManyFiles => "files beyond the limit, passed over",
            Remark::InvalidUtf8 => "with invalid UTF-8, indexed around it",
            Remark::LongLine => "with very long lines, indexed",
            Remark::LongWord => "with words too long to keep",
        })
    }
}

/// All remarks: every one counted, the first paths of each kind kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    kinds: BTreeMap<Remark, Remarked>,
}

/// The paths with one kind of remark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarked {
    pub count: u64,
    pub first: Vec<PathBuf>,
}

impl Remarks {
    pub fn add(&mut self, remark: Remark, path: &Path) {
        let remarked = self.kinds.entry(remark).or_default();
        remarked.count += 1;
        if remarked.first.len() < REMARKED_PATHS_MAX {
            remarked.first.push(path.to_owned());
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (Remark, &Remarked)> {
        self.kinds
            .iter()
            .map(|(&remark, remarked)| (remark, remarked))
    }
}

#[cfg(test)]
impl Remarks {
    pub fn count(&self, remark: Remark) -> u64 {
        self.kinds.get(&remark).map_or(0, |remarked| remarked.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_remark_is_counted_and_few_paths_are_kept() {
        let mut remarks = Remarks::default();
        for n in 0..10 {
            remarks.add(Remark::Binary, Path::new(&format!("file-{n}")));
        }
        remarks.add(Remark::Loop, Path::new("link"));
        assert_eq!(remarks.count(Remark::Binary), 10);
        assert_eq!(remarks.count(Remark::Vanished), 0);
        let kept: Vec<usize> = remarks
            .iter()
            .map(|(_, remarked)| remarked.first.len())
            .collect();
        assert_eq!(kept, [REMARKED_PATHS_MAX, 1]);
    }

    #[test]
    fn a_missing_file_has_vanished_and_any_other_error_is_unreadable() {
        assert_eq!(
            Remark::of(&io::ErrorKind::NotFound.into()),
            Remark::Vanished
        );
        assert_eq!(
            Remark::of(&io::ErrorKind::PermissionDenied.into()),
            Remark::Unreadable
        );
        assert_eq!(Remark::of(&io::Error::other("disk")), Remark::Unreadable);
    }
}
