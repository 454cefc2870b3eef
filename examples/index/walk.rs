//! The files below a directory, one after the other.

use std::fs::{self, DirEntry, FileType, ReadDir};
use std::io;
use std::path::{Path, PathBuf};

use super::file::File;
use super::limits::{DEPTH_MAX, Limits};
use super::remark::Remark;

/// What the walk came by.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    File(File),
    Remark(Remark, PathBuf),
}

/// A depth-first walk that keeps no more than one open directory per level.
///
/// Links are remarked upon and not followed: what they lead to is below the directory, and comes
/// under its own name, or is not meant. Directories that are hidden, or marked as a cache by a
/// `CACHEDIR.TAG`, are not entered; a repository's history and build output are no text to look
/// words up in.
pub struct Walk {
    levels: Vec<(PathBuf, ReadDir)>,
    files: u32,
    files_max: usize,
}

impl Walk {
    /// Starts at a directory, which may itself be hidden, a cache or reached by a link.
    pub fn new(dir: &Path, limits: &Limits) -> io::Result<Self> {
        let levels = vec![(dir.to_owned(), fs::read_dir(dir)?)];
        Ok(Walk {
            levels,
            files: 0,
            files_max: limits.files,
        })
    }

    /// What there is to say about an entry; `None` for a directory that is entered.
    fn step(&mut self, entry: &DirEntry) -> Option<Step> {
        let path = entry.path();
        let outcome = match entry.file_type() {
            Ok(kind) if kind.is_dir() => self.enter(&path),
            Ok(kind) => self.file(entry, &path, kind).map(Some),
            Err(error) => Err(Remark::of(&error)),
        };
        match outcome {
            Ok(file) => file.map(Step::File),
            Err(remark) => Some(Step::Remark(remark, path)),
        }
    }

    fn enter(&mut self, dir: &Path) -> Result<Option<File>, Remark> {
        let name = dir.file_name().unwrap_or_default();
        if name.as_encoded_bytes().starts_with(b".") || dir.join("CACHEDIR.TAG").exists() {
            return Err(Remark::Hidden);
        }
        if self.levels.len() >= DEPTH_MAX {
            return Err(Remark::Deep);
        }
        let entries = fs::read_dir(dir).map_err(|error| Remark::of(&error))?;
        self.levels.push((dir.to_owned(), entries));
        Ok(None)
    }

    fn file(&mut self, entry: &DirEntry, path: &Path, kind: FileType) -> Result<File, Remark> {
        if kind.is_symlink() {
            return Err(link(path));
        }
        if !kind.is_file() {
            return Err(Remark::Special);
        }
        if self.files as usize >= self.files_max {
            return Err(Remark::ManyFiles);
        }
        let bytes = entry.metadata().map_err(|error| Remark::of(&error))?.len();
        let id = self.files;
        self.files += 1;
        Ok(File {
            id,
            path: path.to_owned(),
            bytes,
        })
    }
}

impl Iterator for Walk {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        while let Some((dir, entries)) = self.levels.last_mut() {
            match entries.next() {
                Some(Ok(entry)) => {
                    if let Some(step) = self.step(&entry) {
                        return Some(step);
                    }
                }
                Some(Err(error)) => return Some(Step::Remark(Remark::of(&error), dir.clone())),
                None => drop(self.levels.pop()),
            }
        }
        None
    }
}

/// Tells a link that leads to itself, or to a directory above it, from any other.
fn link(path: &Path) -> Remark {
    match fs::canonicalize(path) {
        Ok(target) => {
            let here = path.parent().and_then(|dir| fs::canonicalize(dir).ok());
            if here.is_some_and(|here| here.starts_with(&target)) {
                Remark::Loop
            } else {
                Remark::Link
            }
        }
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => Remark::Link,
            _ => Remark::Loop,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(dir: &Path, limits: &Limits) -> Vec<Step> {
        Walk::new(dir, limits).unwrap().collect()
    }

    fn files(steps: &[Step]) -> Vec<&File> {
        let mut files = Vec::new();
        for step in steps {
            if let Step::File(file) = step {
                files.push(file);
            }
        }
        files
    }

    fn remarks(steps: &[Step]) -> Vec<Remark> {
        let mut remarks = Vec::new();
        for step in steps {
            if let Step::Remark(remark, _) = step {
                remarks.push(*remark);
            }
        }
        remarks.sort();
        remarks
    }

    #[test]
    fn every_file_below_is_met_once_with_ascending_ids() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("a/b/c")).unwrap();
        for name in ["one", "a/two", "a/b/three", "a/b/c/.four"] {
            fs::write(dir.path().join(name), name).unwrap();
        }
        let steps = walk(dir.path(), &Limits::default());
        let ids: Vec<u32> = files(&steps).iter().map(|file| file.id).collect();
        assert_eq!(ids, [0, 1, 2, 3]);
        let bytes: u64 = files(&steps).iter().map(|file| file.bytes).sum();
        assert_eq!(bytes, "onea/twoa/b/threea/b/c/.four".len() as u64);
    }

    #[test]
    fn hidden_and_cache_directories_are_remarked_and_not_entered() {
        let dir = tempfile::tempdir().unwrap();
        for name in [".git/x", "target/CACHEDIR.TAG", "src/lib"] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let steps = walk(dir.path(), &Limits::default());
        assert_eq!(files(&steps).len(), 1);
        assert_eq!(remarks(&steps), [Remark::Hidden, Remark::Hidden]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_remarked_and_loops_told_from_the_rest() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("a")).unwrap();
        fs::write(dir.path().join("file"), "x").unwrap();
        symlink("..", dir.path().join("a/up")).unwrap();
        symlink("self", dir.path().join("self")).unwrap();
        symlink("file", dir.path().join("other")).unwrap();
        symlink("nowhere", dir.path().join("dangling")).unwrap();
        let steps = walk(dir.path(), &Limits::default());
        assert_eq!(files(&steps).len(), 1);
        assert_eq!(
            remarks(&steps),
            [Remark::Loop, Remark::Loop, Remark::Link, Remark::Link]
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_socket_is_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("s")).unwrap();
        assert_eq!(
            remarks(&walk(dir.path(), &Limits::default())),
            [Remark::Special]
        );
    }

    #[test]
    fn levels_and_files_beyond_the_limit_are_remarked() {
        let dir = tempfile::tempdir().unwrap();
        let mut deep = dir.path().to_owned();
        deep.extend(std::iter::repeat_n("d", DEPTH_MAX));
        fs::create_dir_all(&deep).unwrap();
        for name in ["1", "2", "3"] {
            fs::write(dir.path().join(name), name).unwrap();
        }
        let steps = walk(
            dir.path(),
            &Limits {
                files: 1,
                ..Limits::default()
            },
        );
        assert_eq!(files(&steps).len(), 1);
        assert_eq!(
            remarks(&steps),
            [Remark::Deep, Remark::ManyFiles, Remark::ManyFiles]
        );
    }

    #[test]
    fn a_missing_directory_is_an_error_at_the_start() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Walk::new(&dir.path().join("gone"), &Limits::default()).is_err());
    }
}
