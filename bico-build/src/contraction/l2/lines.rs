//! What whole lines add to the bytes of a tile.

/// Bytes that the cache fetches at a time.
pub const LINE_BYTES: u64 = 128;

/// Bytes beyond its own that a piece of a row touches on average: `width` bytes at a multiple of `width`, of rows that
/// are `pitch` bytes apart, elements of `element` bytes.
///
/// Rows that begin with a line are cut alike: the piece is filled up to whole lines. Otherwise a piece begins
/// anywhere, and touches all but an element of a line more than it has.
pub(super) fn excess(width: f64, pitch: f64, element: f64) -> f64 {
    let line = LINE_BYTES as f64;
    if pitch % line == 0.0 {
        (width / line).ceil() * line - width
    } else {
        line - element
    }
}
