//! Counts, not times.

use super::*;
use crate::render::Surface;

#[greenroom::test]
async fn a_frame_waits_once_for_a_window_of_answers_and_keeps_no_more() {
    let (node, place) = server::serve_here(server::secret()).await.unwrap();
    for window in WINDOWS {
        let trace = draw(&place, window, true).await.unwrap();
        assert_eq!(trace.counts, [CREATES, UPDATES, CREATES, FRAMES]);
        assert_eq!(trace.counts.iter().sum::<u32>(), RECORDS);
        assert!(
            trace.run.waits <= waits_max(window),
            "{window}: {}",
            trace.run.waits
        );
        assert_eq!(trace.replies, u64::from(CREATES));
        assert!(
            trace.retained <= window.try_into().unwrap(),
            "{}",
            trace.retained
        );
    }
    node.close().await;
}

#[greenroom::test]
async fn without_the_mark_each_record_has_a_reply() {
    let (node, place) = server::serve_here(server::secret()).await.unwrap();
    let trace = draw(&place, 64, false).await.unwrap();
    assert_eq!(trace.replies, u64::from(RECORDS));
    assert!(u64::from(CREATES) * 10 < trace.replies);
    node.close().await;
}

#[greenroom::test]
async fn an_answer_is_awaited_in_any_order() {
    let (node, place) = server::serve_here(server::secret()).await.unwrap();
    let surface = Remote::connect(&place, true).await.unwrap();
    let mut open = Vec::new();
    for _ in 0..55 {
        open.push(surface.create().await);
    }
    assert_eq!(open.pop().unwrap().await, 55); // the last one, first
    for (place, answer) in open.into_iter().enumerate() {
        assert_eq!(answer.await as usize, place + 1);
    }
    node.close().await;
}
