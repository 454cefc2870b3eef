//! A file below the directory, and the chunks in which it is read.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::limits::{CHUNK_BYTES, PROBE_BYTES};

/// A regular file that the walk came by.
#[derive(Debug, PartialEq, Eq)]
pub struct File {
    /// Ascending in the order of the walk, without gaps.
    pub id: u32,
    pub path: PathBuf,
    /// Its length when the walk came by.
    pub bytes: u64,
}

/// Reads one file after another, a chunk at a time.
///
/// Opening and reading block, and a worker has others to serve, so each chunk is read on a thread
/// of tokio's blocking pool. The file moves there and back with its buffer: one hop for a file of
/// up to a chunk, where an async file needs one for each open, read and end of file.
#[derive(Default)]
pub struct Chunks {
    path: PathBuf,
    file: Option<fs::File>,
    buffer: Vec<u8>,
    ended: bool,
}

impl Chunks {
    /// Goes on with another file; it is opened with its first chunk.
    pub fn open(&mut self, path: &Path) {
        let buffer = std::mem::take(&mut self.buffer);
        *self = Chunks {
            path: path.to_owned(),
            file: None,
            buffer,
            ended: false,
        };
    }

    /// The next chunk; `None` after the last one, and after an error.
    pub async fn next(&mut self) -> io::Result<Option<&[u8]>> {
        let mut reading = std::mem::take(self);
        if reading.ended || reading.path.as_os_str().is_empty() {
            return Ok(None);
        }
        let work = tokio::task::spawn_blocking(move || reading.fill().map(|()| reading));
        *self = work.await.map_err(io::Error::other)??;
        Ok((!self.buffer.is_empty()).then_some(&self.buffer))
    }

    fn fill(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(fs::File::open(&self.path)?),
        };
        self.buffer.clear();
        self.buffer.reserve(CHUNK_BYTES);
        let read = file
            .take(CHUNK_BYTES as u64)
            .read_to_end(&mut self.buffer)?;
        self.ended = read < CHUNK_BYTES;
        Ok(())
    }
}

/// Whether a file that begins like this is no text.
pub fn is_binary(beginning: &[u8]) -> bool {
    beginning.iter().take(PROBE_BYTES).any(|&byte| byte == 0)
}

#[cfg(test)]
impl File {
    pub fn stub(path: &str) -> std::sync::Arc<File> {
        std::sync::Arc::new(File {
            id: 0,
            path: path.into(),
            bytes: 1_000,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lengths(path: &Path) -> io::Result<Vec<usize>> {
        let mut chunks = Chunks::default();
        chunks.open(path);
        let mut lengths = Vec::new();
        while let Some(chunk) = chunks.next().await? {
            lengths.push(chunk.len());
        }
        Ok(lengths)
    }

    #[tokio::test]
    async fn a_file_comes_in_chunks_and_then_ends() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("text");
        for (bytes, expected) in [
            (0, vec![]),
            (1, vec![1]),
            (CHUNK_BYTES, vec![CHUNK_BYTES]),
            (2 * CHUNK_BYTES + 7, vec![CHUNK_BYTES, CHUNK_BYTES, 7]),
        ] {
            fs::write(&path, vec![b'a'; bytes]).unwrap();
            assert_eq!(lengths(&path).await.unwrap(), expected);
        }
    }

    #[tokio::test]
    async fn what_is_gone_or_no_file_is_an_error_at_the_first_chunk() {
        let dir = tempfile::tempdir().unwrap();
        let gone = lengths(&dir.path().join("gone")).await.unwrap_err();
        assert_eq!(gone.kind(), io::ErrorKind::NotFound);
        assert!(lengths(dir.path()).await.is_err());
    }

    #[test]
    fn a_nul_near_the_beginning_makes_a_file_binary() {
        assert!(is_binary(b"\x7fELF\x02\x01\x01\0"));
        assert!(!is_binary("Grüße\n".as_bytes()));
        let mut late = vec![b'a'; PROBE_BYTES];
        late.push(0);
        assert!(!is_binary(&late));
    }
}
