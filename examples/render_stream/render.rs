//! What is drawn, whatever the way to the canvas.

use std::time::{Duration, Instant};

use futures::future::poll_immediate;

/// Rendered frames, and what is done in all of them.
pub(crate) const FRAMES: u32 = 81;
pub(crate) const CREATES: u32 = 4_536;
pub(crate) const UPDATES: u32 = 46_750;
/// Each thing is destroyed in the end, and each frame is shown.
pub(crate) const RECORDS: u32 = CREATES + UPDATES + CREATES + FRAMES;

/// What needs no answer.
#[derive(Clone, Copy)]
pub(crate) enum Change {
    Update(u32),
    Destroy(u32),
    Show,
}

/// A way to the canvas.
pub(crate) trait Surface {
    type Answer: Future<Output = u32> + Unpin;

    /// Sends, and gives what the answer comes by.
    async fn create(&self) -> Self::Answer;

    async fn change(&self, change: Change);
}

/// What a run took.
#[derive(Default)]
pub(crate) struct Run {
    /// Times that an answer was not there when it was looked for.
    pub(crate) waits: u32,
    pub(crate) waited: Duration,
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
}

impl Run {
    /// From when a create that was waited for was sent, on the average.
    pub(crate) fn round_trip(&self) -> Duration {
        self.waited / self.waits.max(1)
    }
}

/// All frames, with at most so many answers open.
pub(crate) async fn render<S: Surface>(surface: &S, window: usize) -> Run {
    let (begun, cpu) = (Instant::now(), cpu_time());
    let mut run = Run::default();
    let mut known = Vec::new();
    for frame in 0..FRAMES {
        let mut open = Vec::with_capacity(window);
        let mut names = Vec::new();
        let share = |all: u32| all * (frame + 1) / FRAMES - all * frame / FRAMES;
        let (creates, updates) = (share(CREATES), share(UPDATES));
        for create in 0..creates {
            open.push(surface.create().await);
            if open.len() == window {
                take(&mut open, &mut names, &mut run).await;
            }
            for update in updates * create / creates..updates * (create + 1) / creates {
                let name = known.get(update as usize % known.len().max(1));
                surface
                    .change(Change::Update(name.copied().unwrap_or_default()))
                    .await;
            }
        }
        take(&mut open, &mut names, &mut run).await;
        for name in std::mem::replace(&mut known, names) {
            surface.change(Change::Destroy(name)).await;
        }
        surface.change(Change::Show).await;
    }
    for name in known {
        surface.change(Change::Destroy(name)).await;
    }
    run.wall = begun.elapsed();
    run.cpu = cpu_time() - cpu;
    run
}

/// Takes all answers. The youngest is awaited first: the others have come by then.
async fn take<A: Future<Output = u32> + Unpin>(
    open: &mut Vec<A>,
    names: &mut Vec<u32>,
    run: &mut Run,
) {
    let first = names.len();
    while let Some(mut answer) = open.pop() {
        let begun = Instant::now();
        let name = match poll_immediate(&mut answer).await {
            Some(name) => name,
            None => {
                let name = answer.await;
                run.waits += 1;
                run.waited += begun.elapsed();
                name
            }
        };
        names.push(name);
    }
    names[first..].reverse();
}

/// CPU that all threads of this process have used; nothing where the system does not tell.
fn cpu_time() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let nanos = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanos.sum())
}
