//! What whole lines add to the bytes of a tile.

/// Bytes beyond its own that a piece of a row touches on average: `width` bytes at a multiple of `width`, of rows that
/// are `pitch` bytes apart, elements of `element` bytes, in lines of `line` bytes.
///
/// Rows that begin with a line are cut alike: the piece is filled up to whole lines. Otherwise a piece begins
/// anywhere, and touches all but an element of a line more than it has.
pub(super) fn excess(width: f64, pitch: f64, element: f64, line: f64) -> f64 {
    if pitch % line == 0.0 {
        (width / line).ceil() * line - width
    } else {
        line - element
    }
}
