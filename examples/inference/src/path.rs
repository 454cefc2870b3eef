//! A path that grows at its end, and whose clones share what lies behind.

use std::sync::Arc;

/// Steps that lie together: a clone copies fewer than so many.
const CHUNK: usize = 8;

/// All steps of a particle, in order.
#[derive(Debug, Clone, Default)]
pub struct Path {
    len: usize,
    /// The last steps, from the beginning of a chunk; what of it is not used yet has no meaning.
    recent: [f64; CHUNK],
    older: Older,
}

type Older = Option<Arc<Chunk>>;

#[derive(Debug)]
struct Chunk {
    steps: [f64; CHUNK],
    older: Older,
}

impl Path {
    /// Adds a step.
    #[inline]
    pub fn push(&mut self, step: f64) {
        self.recent[self.len % CHUNK] = step;
        self.len += 1;
        if self.len.is_multiple_of(CHUNK) {
            self.put_aside();
        }
    }

    #[cold]
    fn put_aside(&mut self) {
        let (steps, older) = (self.recent, self.older.take());
        self.older = Some(Arc::new(Chunk { steps, older }));
    }

    /// How many steps there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The last step.
    #[must_use]
    pub fn last(&self) -> Option<f64> {
        let last = self.len.checked_sub(1)?;
        Some(self.recent[last % CHUNK])
    }

    /// All steps.
    #[must_use]
    pub fn to_vec(&self) -> Vec<f64> {
        let mut steps = vec![0.0; self.len];
        let (whole, rest) = steps.as_chunks_mut::<CHUNK>();
        rest.copy_from_slice(&self.recent[..rest.len()]);
        let mut older = &self.older;
        for steps in whole.iter_mut().rev() {
            if let Some(chunk) = older {
                *steps = chunk.steps;
                older = &chunk.older;
            }
        }
        steps
    }
}

/// Chunks that nobody else shares go one by one, however many there are.
impl Drop for Path {
    fn drop(&mut self) {
        let mut older = self.older.take();
        while let Some(chunk) = older.and_then(Arc::into_inner) {
            older = chunk.older;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(len: usize) -> Path {
        let mut path = Path::default();
        (0..len).for_each(|step| path.push(step as f64));
        path
    }

    #[test]
    fn a_path_has_all_its_steps_in_order() {
        for len in 0..3 * CHUNK {
            let expected: Vec<_> = (0..len).map(|step| step as f64).collect();
            let path = path(len);
            assert_eq!(path.to_vec(), expected);
            assert_eq!((path.len(), path.is_empty()), (len, len == 0));
            assert_eq!(path.last(), expected.last().copied());
        }
    }

    #[test]
    fn clones_go_their_own_ways_from_any_step() {
        for len in 0..3 * CHUNK {
            let mut one = path(len);
            let mut other = one.clone();
            one.push(-1.0);
            other.push(-2.0);
            other.push(-3.0);
            assert_eq!(one.to_vec()[..len], other.to_vec()[..len]);
            assert_eq!(one.to_vec()[len..], [-1.0]);
            assert_eq!(other.to_vec()[len..], [-2.0, -3.0]);
        }
    }

    #[test]
    fn a_path_of_a_million_steps_is_dropped() {
        drop(path(1_000_000));
    }
}
