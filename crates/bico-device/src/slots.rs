//! What a device hands out by number.

/// Things by number. The number of what was taken out is given to another.
pub(crate) struct Slots<T>(Vec<Option<T>>);

impl<T> Slots<T> {
    pub(crate) const fn new() -> Slots<T> {
        Slots(Vec::new())
    }

    pub(crate) fn insert(&mut self, thing: T) -> usize {
        let free = self.0.iter().position(Option::is_none);
        let at = free.unwrap_or(self.0.len());
        if free.is_none() {
            self.0.push(None);
        }
        self.0[at] = Some(thing);
        at
    }

    pub(crate) fn get(&mut self, at: usize) -> Result<&mut T, String> {
        let thing = self.0.get_mut(at).and_then(Option::as_mut);
        thing.ok_or_else(|| "it is gone from the device".to_string())
    }

    pub(crate) fn peek(&self, at: usize) -> Result<&T, String> {
        let thing = self.0.get(at).and_then(Option::as_ref);
        thing.ok_or_else(|| "it is gone from the device".to_string())
    }

    pub(crate) fn take(&mut self, at: usize) -> Option<T> {
        self.0.get_mut(at).and_then(Option::take)
    }

    #[cfg(feature = "cuda")]
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = T> {
        self.0.drain(..).flatten()
    }
}
