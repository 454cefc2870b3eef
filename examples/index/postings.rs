//! Where one word stands: packed, since there are millions of them.

use super::batch::Occurrences;

/// The files and lines of a word, in the order in which they came, and its true count.
///
/// A run is what one batch brought: the file as a difference to the run before, the count, the
/// number of lines kept, and the lines as differences, each a variable-length integer. Most
/// positions take two or three bytes where a file and a line of 32 bits each would take eight.
#[derive(Debug, Default)]
pub struct Postings {
    packed: Vec<u8>,
    count: u64,
    kept: u32,
    last_file: u32,
}

/// A word in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub file: u32,
    pub count: u64,
    pub lines: Vec<u32>,
}

impl Postings {
    /// How often the word was seen, kept or not.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// How many positions are kept.
    pub fn kept(&self) -> usize {
        self.kept as usize
    }

    /// Adds what one file has and keeps at most `room` of its lines; gives how many it kept.
    pub fn add(&mut self, file: u32, found: &Occurrences, room: usize) -> usize {
        self.count += u64::from(found.count);
        let lines = &found.lines[..found.lines.len().min(room)];
        if lines.is_empty() {
            return 0;
        }
        let difference = i64::from(file) - i64::from(self.last_file);
        self.pack(zigzag(difference));
        self.pack(u64::from(found.count));
        self.pack(lines.len() as u64);
        let mut before = 0;
        for &line in lines {
            self.pack(u64::from(line - before));
            before = line;
        }
        self.last_file = file;
        self.kept += lines.len() as u32;
        lines.len()
    }

    /// The runs, oldest first.
    pub fn runs(&self) -> impl Iterator<Item = Run> {
        let mut packed = self.packed.as_slice();
        let mut file = 0;
        std::iter::from_fn(move || {
            (!packed.is_empty()).then(|| {
                file += unzigzag(unpack(&mut packed));
                let count = unpack(&mut packed);
                let lines = unpack(&mut packed);
                let mut line = 0;
                let mut next_line = |_| {
                    line += unpack(&mut packed) as u32;
                    line
                };
                Run {
                    file: file as u32,
                    count,
                    lines: (0..lines).map(&mut next_line).collect(),
                }
            })
        })
    }

    fn pack(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.packed.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.packed.push(value as u8);
    }
}

fn unpack(packed: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (&byte, rest) = packed
            .split_first()
            .expect("what was packed whole is read whole");
        *packed = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(count: u32, lines: &[u32]) -> Occurrences {
        Occurrences {
            count,
            lines: lines.to_vec(),
        }
    }

    #[test]
    fn what_is_packed_comes_back() {
        let mut postings = Postings::default();
        let runs = [
            Run {
                file: 7,
                count: 3,
                lines: vec![1, 300, u32::MAX],
            },
            Run {
                file: 2,
                count: 1,
                lines: vec![1],
            },
            Run {
                file: u32::MAX,
                count: u64::from(u32::MAX),
                lines: vec![127, 128, 16_384],
            },
            Run {
                file: 0,
                count: 5,
                lines: vec![9],
            },
        ];
        for run in &runs {
            let kept = postings.add(run.file, &found(run.count as u32, &run.lines), 1_000);
            assert_eq!(kept, run.lines.len());
        }
        assert_eq!(postings.runs().collect::<Vec<_>>(), runs);
        assert_eq!(
            (postings.count(), postings.kept()),
            (9 + u64::from(u32::MAX), 8)
        );
    }

    #[test]
    fn without_room_only_the_count_grows() {
        let mut postings = Postings::default();
        assert_eq!(postings.add(1, &found(9, &[1, 2, 3]), 2), 2);
        assert_eq!(postings.add(2, &found(4, &[5]), 0), 0);
        assert_eq!(postings.count(), 13);
        assert_eq!(postings.runs().collect::<Vec<_>>().len(), 1);
        assert_eq!(postings.runs().next().unwrap().lines, [1, 2]);
    }

    #[test]
    fn a_position_in_the_next_file_takes_four_bytes() {
        let mut postings = Postings::default();
        (1..=1_000).for_each(|file| assert_eq!(postings.add(file, &found(1, &[40]), 1), 1));
        assert_eq!(postings.packed.len(), 4_000);
    }
}
