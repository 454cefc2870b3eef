//! The whole index on small trees: what goes in comes out, and nothing that lies about is fatal.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

use super::BoxError;
use super::arguments::USAGE;
use super::console::Console;
use super::failure::Failure;
use super::feed::{Fed, StopFlag};
use super::file::File;
use super::index::Index;
use super::journal::Progress;
use super::limits::{CHUNK_BYTES, GATHERED_MAX, LINE_BYTES_LONG, Limits};
use super::query::Pattern;
use super::remark::Remark;
use super::run;
use super::walk::{Step, Walk};

/// A directory with files of these names and contents.
fn tree(files: &[(&str, &[u8])]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    dir
}

fn walk(dir: &Path) -> Walk {
    Walk::new(dir, &Limits::default()).unwrap()
}

async fn indexed<S>(steps: S, index: &Index) -> Result<Fed, BoxError>
where
    S: Iterator<Item = Step> + Send + 'static,
{
    let fed = index.feed(steps, StopFlag::default()).await??;
    index.settle().await?;
    Ok(fed)
}

/// Each file that holds the word, with its count and lines.
async fn find(index: &Index, typed: &str) -> BTreeMap<PathBuf, (u64, Vec<u32>)> {
    let (answer, _) = index.find(&Pattern::parse(typed).unwrap()).await.unwrap();
    let hits = answer.hits.into_iter();
    hits.map(|hit| (hit.file.path.clone(), (hit.count, hit.lines)))
        .collect()
}

async fn count(index: &Index, remark: Remark) -> u64 {
    index.remarks().await.unwrap().count(remark)
}

#[greenroom::test]
async fn every_word_is_found_in_its_files_on_its_lines() {
    let dir = tree(&[
        ("play.txt", b"Green room, green!\n\nThe ROOM\n"),
        ("src/room.rs", b"fn room() {}\n"),
        ("src/empty", b""),
    ]);
    let index = Index::spawn(3, 2, Limits::default());
    let fed = indexed(walk(dir.path()), &index).await.unwrap();
    assert_eq!((fed.files, fed.ended_early), (3, false));
    let (play, source) = (dir.path().join("play.txt"), dir.path().join("src/room.rs"));
    let hits = find(&index, "room").await;
    assert_eq!(
        hits,
        [(play.clone(), (2, vec![1, 3])), (source, (1, vec![1]))].into()
    );
    assert_eq!(find(&index, "gre*").await, [(play, (2, vec![1]))].into());
    assert_eq!(find(&index, "rooms").await, [].into());
    let progress = index.progress().await.unwrap().0;
    assert_eq!(
        progress,
        Progress {
            files: 3,
            bytes: 42,
            words: 7,
            entries: 3
        }
    );
    let census = index.census().await.unwrap().0;
    assert_eq!((census.words, census.positions), (4, 6));
}

#[cfg(unix)]
#[greenroom::test]
async fn what_is_no_text_is_remarked_and_passed_over() {
    let dir = tree(&[
        ("text", b"word"),
        ("binary", b"\x7fELF\0word"),
        ("latin", b"caf\xe9 word\n"),
        ("a/b/deep", b"word"),
    ]);
    std::os::unix::fs::symlink("../..", dir.path().join("a/b/up")).unwrap();
    let index = Index::spawn(2, 2, Limits::default());
    let fed = indexed(walk(dir.path()), &index).await.unwrap();
    assert_eq!(fed.files, 4);
    assert_eq!(index.progress().await.unwrap().0.files, 3);
    let names = ["a/b/deep", "latin", "text"].map(|name| dir.path().join(name));
    assert!(find(&index, "word").await.into_keys().eq(names));
    for remark in [Remark::Binary, Remark::Loop, Remark::InvalidUtf8] {
        assert_eq!(count(&index, remark).await, 1, "{remark}");
    }
    assert_eq!(index.remarks().await.unwrap().iter().count(), 3);
}

#[greenroom::test]
async fn a_file_that_vanishes_after_the_walk_is_remarked() {
    let dir = tree(&[("stays", b"word"), ("goes", b"word")]);
    let steps: Vec<Step> = walk(dir.path()).collect();
    fs::remove_file(dir.path().join("goes")).unwrap();
    let index = Index::spawn(1, 1, Limits::default());
    assert_eq!(indexed(steps.into_iter(), &index).await.unwrap().files, 2);
    assert_eq!(count(&index, Remark::Vanished).await, 1);
    assert!(
        find(&index, "word")
            .await
            .into_keys()
            .eq([dir.path().join("stays")])
    );
}

#[greenroom::test]
async fn a_file_that_cannot_be_read_is_remarked() {
    let dir = tree(&[("text", b"word"), ("closed/in", b"word")]);
    // A directory in a file's place can't be read by anybody, not even by an administrator.
    let closed = File {
        id: 1,
        path: dir.path().join("closed"),
        bytes: 4,
    };
    let text = File {
        id: 2,
        path: dir.path().join("text"),
        bytes: 4,
    };
    let steps = [Step::File(closed), Step::File(text)];
    let index = Index::spawn(1, 1, Limits::default());
    indexed(steps.into_iter(), &index).await.unwrap();
    assert_eq!(count(&index, Remark::Unreadable).await, 1);
    assert_eq!(index.progress().await.unwrap().0.files, 1);
    assert_eq!(find(&index, "word").await.len(), 1);
}

#[cfg(unix)]
#[greenroom::test]
async fn a_file_without_permission_is_indexed_or_remarked() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tree(&[("closed", b"word")]);
    let path = dir.path().join("closed");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    let is_closed = u64::from(fs::File::open(&path).is_err());
    let index = Index::spawn(1, 1, Limits::default());
    indexed(walk(dir.path()), &index).await.unwrap();
    assert_eq!(count(&index, Remark::Unreadable).await, is_closed);
    assert_eq!(index.progress().await.unwrap().0.files, 1 - is_closed);
}

#[greenroom::test]
async fn a_huge_file_goes_in_parts_and_comes_out_whole() {
    let lines = 5 * GATHERED_MAX as u32 + 7;
    let text: String = (1..=lines).map(|line| format!("line {line}\n")).collect();
    assert!(text.len() > 3 * CHUNK_BYTES);
    let dir = tree(&[("huge", text.as_bytes())]);
    let index = Index::spawn(2, 1, Limits::default());
    indexed(walk(dir.path()), &index).await.unwrap();
    assert_eq!(
        find(&index, &lines.to_string()).await.into_values().next(),
        Some((1, vec![lines]))
    );
    let (answer, _) = index.find(&Pattern::parse("line").unwrap()).await.unwrap();
    assert_eq!(
        (answer.count, answer.kept, answer.hits.len()),
        (lines.into(), 1_000, 1)
    );
    let census = index.census().await.unwrap().0;
    assert_eq!(census.words, u64::from(lines) + 1);
    assert_eq!(census.beyond_word, u64::from(lines) - 1_000);
    assert!(census.batches > 6, "{census:?}");
}

#[greenroom::test]
async fn a_very_long_line_is_remarked_and_its_words_are_found() {
    let mut text = b"pad ".repeat(LINE_BYTES_LONG);
    text.extend_from_slice(b"needle\n");
    let dir = tree(&[("long", &text)]);
    let index = Index::spawn(2, 2, Limits::default());
    indexed(walk(dir.path()), &index).await.unwrap();
    assert_eq!(count(&index, Remark::LongLine).await, 1);
    assert_eq!(
        find(&index, "needle").await.into_values().next(),
        Some((1, vec![1]))
    );
}

#[greenroom::test]
async fn the_limits_hold_over_all_shards_and_what_is_left_out_is_counted() {
    let text: String = (0..1_000).map(|n| format!("w{n} common\n")).collect();
    let dir = tree(&[("text", text.as_bytes())]);
    let limits = Limits {
        words: 300,
        positions: 310,
        positions_per_word: 20,
        files: 1,
    };
    let index = Index::spawn(4, 1, limits);
    indexed(walk(dir.path()), &index).await.unwrap();
    let census = index.census().await.unwrap().0;
    assert!(census.words <= 300 && census.positions <= 310, "{census:?}");
    let positions = census.positions + census.beyond_word + census.beyond_total;
    assert_eq!(positions + census.beyond_words, 2_000);
}

#[greenroom::test]
async fn a_walk_that_is_called_off_leaves_what_it_brought() {
    let files: Vec<(String, &[u8])> = (0..9)
        .map(|n| (format!("f{n}"), b"word".as_slice()))
        .collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (&**name, *text)).collect();
    let dir = tree(&files);
    let index = Index::spawn(2, 2, Limits::default());
    let stop = StopFlag::default();
    let raised = stop.clone();
    let steps = walk(dir.path()).enumerate().map(move |(n, step)| {
        if n == 5 {
            raised.raise();
        }
        step
    });
    let fed = index.feed(steps, stop).await.unwrap().unwrap();
    index.settle().await.unwrap();
    assert_eq!((fed.files, fed.ended_early), (5, true));
    assert_eq!(find(&index, "word").await.len(), 5);
}

#[greenroom::test]
async fn the_number_of_actors_changes_no_answer() {
    let text = |n: usize| -> String {
        (0..5 + n % 9)
            .map(|k| format!("w{} w{} common\n", k * n % 37, k % 11))
            .collect()
    };
    let texts: Vec<(String, String)> = (0..40)
        .map(|n| (format!("d{}/f{n}", n % 5), text(n)))
        .collect();
    let files: Vec<(&str, &[u8])> = texts.iter().map(|(n, t)| (&**n, t.as_bytes())).collect();
    let dir = tree(&files);
    let mut answers = Vec::new();
    for (shards, readers) in [(1, 1), (5, 3), (2, 8)] {
        let index = Index::spawn(shards, readers, Limits::default());
        indexed(walk(dir.path()), &index).await.unwrap();
        let mut found = BTreeMap::new();
        for word in (0..37)
            .map(|n| format!("w{n}"))
            .chain(["common".into(), "w1*".into()])
        {
            found.insert(word.clone(), find(&index, &word).await);
        }
        answers.push(found);
    }
    assert_eq!(answers[0]["common"].len(), 40);
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);
}

#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs the program; gives what it printed.
async fn printed(arguments: &[&str], typed: &[&str]) -> (Result<(), Failure>, String) {
    let output = Output::default();
    let console = Console::typed(typed, output.clone());
    let result = run(arguments.iter().map(Into::into), console).await;
    let bytes = output.0.lock().unwrap().clone();
    (result, String::from_utf8(bytes).unwrap())
}

#[greenroom::test]
async fn a_query_prints_its_hits_with_their_lines_and_then_the_summary() {
    let dir = tree(&[
        ("a.rs", b"fn one() {}\n  fn two() {}\n"),
        ("b.rs", b"struct Two;"),
    ]);
    let path = dir.path().to_str().unwrap();
    let (result, text) = printed(&[path, "--query", "TWO"], &[]).await;
    result.unwrap();
    assert!(
        text.starts_with("two: 2 times; 2 positions kept, in 2 files\n"),
        "{text}"
    );
    let hit = format!(
        "{}:2  ×1\n       fn two() {{}}\n",
        dir.path().join("a.rs").display()
    );
    assert!(text.contains(&hit), "{text}");
    for line in [
        "indexed    2 files, 0.0 MB",
        "words      6 words, 4 of them distinct",
        "walk       never waited",
        "asks ",
    ] {
        assert!(text.contains(line), "no {line:?} in {text}");
    }
}

#[greenroom::test]
async fn what_is_typed_is_answered_until_the_input_is_closed() {
    let dir = tree(&[("a", b"one two")]);
    let path = dir.path().to_str().unwrap();
    let (result, text) = printed(&[path], &["one none", "", "a.b"]).await;
    result.unwrap();
    assert!(
        text.starts_with("one: 1 time; 1 position kept, in 1 file\n"),
        "{text}"
    );
    assert!(
        text.contains("none: 0 times; 0 positions kept, in 0 files\n"),
        "{text}"
    );
    assert!(text.contains("\"a.b\" is not one word"), "{text}");
    assert!(text.contains("           4, P50"), "{text}");
    let (result, text) = printed(&[path], &[]).await;
    result.unwrap();
    assert!(text.starts_with("time "), "{text}");
}

#[greenroom::test]
async fn what_the_user_can_put_right_ends_with_exit_code_two() {
    let dir = tree(&[("binary", b"\0")]);
    let (path, gone) = (dir.path().to_str().unwrap(), dir.path().join("gone"));
    for (arguments, message) in [
        (&[gone.to_str().unwrap()][..], "cannot read the directory"),
        (&[""], "cannot read the directory"),
        (&[path], "there is no text file below"),
        (&[path, "--shards", "no"], "--shards takes a number"),
    ] {
        let failure = printed(arguments, &[]).await.0.unwrap_err();
        assert!(failure.to_string().contains(message), "{failure}");
        assert_eq!(failure.exit_code(), 2, "{failure}");
    }
}

#[greenroom::test]
async fn help_is_printed_and_nothing_indexed() {
    let (result, text) = printed(&["--help", "--nonsense"], &[]).await;
    result.unwrap();
    assert_eq!(text, USAGE);
}
