//! Lists of what an iterator gives, which compile to little: in a debug build `collect` is some 18 functions of the standard
//! library for each place that calls it, of which there are 400, and this is four.

/// `collect` for lists.
// A `for` would be one more function for each iterator.
#[allow(clippy::while_let_on_iterator)]
pub trait Lists: Iterator + Sized {
    /// All of it.
    fn collect_vec(mut self) -> Vec<Self::Item> {
        let mut list = Vec::new();
        while let Some(item) = self.next() {
            list.push(item);
        }
        list
    }

    /// All of it.
    ///
    /// # Errors
    ///
    /// The first one.
    fn try_collect_vec<T, E>(mut self) -> Result<Vec<T>, E>
    where
        Self: Iterator<Item = Result<T, E>>,
    {
        let mut list = Vec::new();
        while let Some(item) = self.next() {
            list.push(item?);
        }
        Ok(list)
    }
}

impl<I: Iterator> Lists for I {}
