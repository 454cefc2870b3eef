//! Files, by tokio's `fs`.

use std::io::{ErrorKind, SeekFrom};

use tokio::fs;
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};

use crate::support::within;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_tasks_write_read_rename_and_remove_files() {
    let folder = tempfile::tempdir().unwrap();
    let tasks: Vec<_> = (0..32_u32)
        .map(|number| {
            let path = folder.path().join(number.to_string());
            tokio::spawn(async move {
                let mut file = fs::File::create(&path).await.unwrap();
                for part in 0..50 {
                    file.write_all(format!("{number} {part}\n").as_bytes())
                        .await
                        .unwrap();
                }
                file.flush().await.unwrap();
                let renamed = path.with_extension("txt");
                fs::rename(&path, &renamed).await.unwrap();
                let text = fs::read_to_string(&renamed).await.unwrap();
                assert_eq!(text.lines().count(), 50);
                if number % 2 == 1 {
                    fs::remove_file(&renamed).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        within("a task's end", task).await.unwrap();
    }
    let mut entries = fs::read_dir(folder.path()).await.unwrap();
    let mut left = 0;
    while let Some(entry) = within("an entry", entries.next_entry()).await.unwrap() {
        assert!(entry.file_name().to_str().unwrap().ends_with(".txt"));
        left += 1;
    }
    assert_eq!(left, 16);
}

#[tokio::test]
async fn a_file_is_read_from_where_it_was_sought() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("numbers");
    fs::write(&path, "0123456789").await.unwrap();
    let mut file = fs::File::open(&path).await.unwrap();
    file.seek(SeekFrom::End(-3)).await.unwrap();
    let mut rest = String::new();
    within("the rest", file.read_to_string(&mut rest))
        .await
        .unwrap();
    assert_eq!(rest, "789");
    let missing = fs::metadata(folder.path().join("missing")).await;
    assert_eq!(missing.unwrap_err().kind(), ErrorKind::NotFound);
}
