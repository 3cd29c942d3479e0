//! `BICO_CAPTURE_DATA=1`: what is in the buffers of the first call with each sizes, as NumPy's arrays, for
//! `#[init(file = "..")]`.

use super::{Given, Tunable, called, word};
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Bytes of one array at most.
const LARGEST: usize = 64 << 20;
/// Bytes of all that a process writes at most.
const ALL: usize = 1 << 30;

/// Elements of which NumPy has arrays.
pub trait Number: Copy {
    /// NumPy's name of the type.
    const KIND: &'static str;
    /// Adds its bytes, the lowest first.
    fn put(self, bytes: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($type:ty: $kind:literal),+) => {$(
        impl Number for $type {
            const KIND: &'static str = $kind;
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        }
    )+};
}
numbers! {
    f32: "<f4", f64: "<f8", i8: "|i1", i16: "<i2", i32: "<i4", i64: "<i8", u8: "|u1", u16: "<u2", u32: "<u4", u64: "<u8"
}

/// A buffer that can be kept.
pub trait Sampled {
    /// Bytes of its elements.
    fn bytes(&self) -> usize;
    /// As a file; `None` where it cannot be read now.
    fn array(&self) -> Option<Vec<u8>>;
}

impl<T: Number> Sampled for &[T] {
    fn bytes(&self) -> usize {
        size_of_val(*self)
    }

    fn array(&self) -> Option<Vec<u8>> {
        let mut header = format!(
            "{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}",
            T::KIND,
            self.len()
        );
        // What comes before the elements is a multiple of 64 bytes.
        while (10 + header.len() + 1) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let mut array = b"\x93NUMPY\x01\x00".to_vec();
        array.extend((header.len() as u16).to_le_bytes());
        array.extend(header.as_bytes());
        for &number in *self {
            number.put(&mut array);
        }
        Some(array)
    }
}

/// The samples of a process.
pub(super) struct Samples {
    folder: PathBuf,
    /// What it may still write.
    left: usize,
}

impl Samples {
    /// Beside the file of calls, for its owner's eyes.
    pub(super) fn open(calls: &Path) -> io::Result<Samples> {
        let mut folder = calls.as_os_str().to_os_string();
        folder.push(".data");
        let folder = PathBuf::from(folder);
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                if !fs::symlink_metadata(&folder)?.is_dir() {
                    let what = format!("{} is no folder", folder.display());
                    return Err(io::Error::new(ErrorKind::InvalidInput, what));
                }
            }
            made => made?,
        }
        Ok(Samples { folder, left: ALL })
    }

    /// Keeps the buffers of a call, unless one of the same sizes was kept: by this process or another.
    pub(super) fn keep(
        &mut self,
        tunable: &Tunable,
        sizes: &[i64],
        given: Given<'_>,
        buffers: &[(&str, &dyn Sampled)],
    ) -> io::Result<()> {
        let of = word(tunable.name()) + &called(tunable, sizes, given).replace(' ', ",");
        for (name, buffer) in buffers {
            let path = self.folder.join(format!("{of},{name}.npy"));
            let bytes = buffer.bytes();
            if bytes > LARGEST.min(self.left) || path.exists() {
                continue;
            }
            let Some(array) = buffer.array() else {
                continue;
            };
            self.left -= bytes;
            let mut options = File::options();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            match options.open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                file => {
                    let written = file?.write_all(&array);
                    if written.is_err() {
                        let _ = fs::remove_file(&path);
                    }
                    written?;
                }
            }
        }
        Ok(())
    }
}
