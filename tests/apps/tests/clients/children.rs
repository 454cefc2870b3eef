//! Child processes: output, pipes, kills, and one that talks.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

use crate::support::within;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_output_and_the_code_of_children_are_collected() {
    let children: Vec<_> = (0..8)
        .map(|number| {
            tokio::spawn(async move {
                let script = format!("echo out {number}; echo err >&2; exit {number}");
                Command::new("sh").args(["-c", &script]).output().await
            })
        })
        .collect();
    for (number, child) in children.into_iter().enumerate() {
        let output = within("a child's end", child).await.unwrap().unwrap();
        assert_eq!(output.status.code(), i32::try_from(number).ok());
        assert_eq!(output.stdout, format!("out {number}\n").into_bytes());
        assert_eq!(output.stderr, b"err\n");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_than_a_pipe_holds_goes_through_a_child() {
    let mut child = Command::new("cat")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let sent: Vec<u8> = (0..1_000_000_u32).map(|n| n.to_le_bytes()[0]).collect();
    let copy = sent.clone();
    let writer = tokio::spawn(async move {
        stdin.write_all(&copy).await.unwrap(); // and its end closes the pipe
    });
    let mut read = Vec::new();
    within("the copy", stdout.read_to_end(&mut read))
        .await
        .unwrap();
    within("the writer", writer).await.unwrap();
    assert!(read == sent);
    assert!(within("the end", child.wait()).await.unwrap().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_talks_line_by_line_until_it_is_killed() {
    let mut child = Command::new("cat")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for number in 0..100 {
        stdin
            .write_all(format!("{number}\n").as_bytes())
            .await
            .unwrap();
        let line = within("a line", lines.next_line()).await.unwrap();
        assert_eq!(line, Some(number.to_string()));
    }
    within("the kill", child.kill()).await.unwrap();
    let status = within("the status", child.wait()).await.unwrap();
    assert_eq!(status.signal(), Some(9));
    assert_eq!(within("the end", lines.next_line()).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_is_killed_when_the_task_that_waits_for_it_is_aborted() {
    let (started, starts) = tokio::sync::oneshot::channel();
    let waits = tokio::spawn(async move {
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        // Both of its pipes outlive this task, so that nothing else ends it.
        let pipes = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        started.send(pipes).unwrap();
        child.wait().await
    });
    let (stdin, mut stdout) = within("the start", starts).await.unwrap();
    waits.abort();
    let aborted = within("the abort", waits).await.unwrap_err();
    assert!(aborted.is_cancelled());
    let mut rest = Vec::new();
    let read = within("the kill", stdout.read_to_end(&mut rest)).await;
    assert_eq!(read.unwrap(), 0);
    drop(stdin);
}
