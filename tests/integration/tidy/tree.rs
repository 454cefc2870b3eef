//! The repository's files, as text.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{LexError, TokenStream};

/// One text file.
#[derive(Debug)]
pub(super) struct Source {
    /// Relative to the repository, with `/` between its parts.
    pub(super) path: String,
    pub(super) text: String,
}

impl Source {
    pub(super) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            text: text.into(),
        }
    }

    pub(super) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    pub(super) fn tokens(&self) -> Result<TokenStream, LexError> {
        self.text.parse()
    }

    /// The module that this file of greenroom's own `src` is; `None` outside of it.
    pub(super) fn module(&self) -> Option<Vec<String>> {
        let inner = self.path.strip_prefix("src/")?.strip_suffix(".rs")?;
        let inner = inner.strip_suffix("/mod").unwrap_or(inner);
        if inner == "lib" {
            return Some(Vec::new());
        }
        Some(inner.split('/').map(str::to_owned).collect())
    }
}

/// Everything but build products and what is not UTF-8.
pub(super) fn all() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                sources.push(Source::new(relative(root, &path), text));
            }
        }
    }
    sources.sort_by(|one, other| one.path.cmp(&other.path));
    sources
}

/// The Rust files among [`all`].
pub(super) fn rust() -> Vec<Source> {
    all().into_iter().filter(Source::is_rust).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("folders of the repository can be read");
    entries
        .map(|entry| entry.expect("entries of a folder can be read"))
        .filter(|entry| {
            let name = entry.file_name();
            !["target", ".git", "Cargo.lock"].contains(&name.to_string_lossy().as_ref())
        })
        .map(|entry| entry.path())
        .collect()
}

fn relative(root: &Path, path: &Path) -> String {
    let inner = path.strip_prefix(root).expect("the walk starts at root");
    let parts: Vec<_> = inner.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

#[test]
fn the_walk_finds_the_files_that_every_rule_is_about() {
    let sources = all();
    for path in ["src/lib.rs", "macros/src/lib.rs", "README.md", ".ci/run"] {
        assert!(sources.iter().any(|s| s.path == path), "{path} not found");
    }
    assert!(sources.iter().all(|s| !s.path.contains("target/")));
}

#[test]
fn a_file_knows_its_module() {
    let module = |path: &str| Source::new(path, "").module().map(|parts| parts.join("::"));
    assert_eq!(module("src/lib.rs").as_deref(), Some(""));
    assert_eq!(module("src/id.rs").as_deref(), Some("id"));
    assert_eq!(module("src/task/mod.rs").as_deref(), Some("task"));
    assert_eq!(module("src/task/state.rs").as_deref(), Some("task::state"));
    assert_eq!(module("macros/src/lib.rs"), None);
    assert_eq!(module("tests/integration/main.rs"), None);
}
