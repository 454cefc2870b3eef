//! Normal distributions: draws by the ziggurat (Marsaglia and Tsang, 2000), and densities.

use std::sync::LazyLock;

use greenroom::world::Stream;

const LAYERS: usize = 256;
/// Where the tail begins, and the area of each layer.
const TAIL: f64 = 3.654_152_885_361_009;
const AREA: f64 = 0.004_928_673_233_974_655;

/// The right ends of the layers, and the density there.
#[derive(Debug)]
struct Layers {
    ends: [f64; LAYERS + 1],
    heights: [f64; LAYERS + 1],
}

fn height(x: f64) -> f64 {
    (-0.5 * x * x).exp()
}

static LAYERS_OF_NORMAL: LazyLock<Layers> = LazyLock::new(|| {
    let mut ends = [0.0; LAYERS + 1];
    ends[0] = AREA / height(TAIL);
    ends[1] = TAIL;
    for layer in 2..LAYERS {
        let above: f64 = AREA / ends[layer - 1] + height(ends[layer - 1]);
        ends[layer] = (-2.0 * above.ln()).sqrt();
    }
    let heights = ends.map(height);
    Layers { ends, heights }
});

/// Draws standard normal numbers.
#[derive(Debug, Clone, Copy)]
pub struct Draw(&'static Layers);

impl Default for Draw {
    fn default() -> Self {
        Self(&LAYERS_OF_NORMAL)
    }
}

impl Draw {
    /// The next number.
    #[inline]
    #[must_use]
    pub fn normal(self, stream: &mut Stream) -> f64 {
        let Layers { ends, heights } = self.0;
        loop {
            let word = stream.next_u64();
            let layer = (word & 0xFF) as usize;
            // The upper bits, from -1 to 1.
            let x = (word as i64 >> 11) as f64 * (1.0 / (1_u64 << 52) as f64) * ends[layer];
            if x.abs() < ends[layer + 1] {
                return x;
            }
            if layer == 0 {
                return tail(stream, x < 0.0);
            }
            let below = heights[layer + 1] - heights[layer];
            if heights[layer] + below * stream.uniform() < height(x) {
                return x;
            }
        }
    }
}

#[cold]
fn tail(stream: &mut Stream, is_negative: bool) -> f64 {
    loop {
        let x = (1.0 - stream.uniform()).ln() / TAIL;
        let y = (1.0 - stream.uniform()).ln();
        if -2.0 * y >= x * x {
            return if is_negative { x - TAIL } else { TAIL - x };
        }
    }
}

/// Half the logarithm of 2 pi.
pub const HALF_LOG_TAU: f64 = 0.918_938_533_204_672_8;

/// The logarithm of the density of a normal distribution.
#[inline]
pub fn log_density(x: f64, mean: f64, sd: f64) -> f64 {
    let z = (x - mean) / sd;
    -0.5 * z * z - HALF_LOG_TAU - sd.ln()
}
