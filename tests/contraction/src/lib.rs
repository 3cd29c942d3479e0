//! Nothing of its own: see the tests.
