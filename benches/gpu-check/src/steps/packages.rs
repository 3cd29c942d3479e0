//! Packages of the bundle whose winners are checked and compared.

/// One of them.
#[derive(Debug)]
pub(crate) struct Package {
    /// Its folder in the bundle.
    pub(crate) folder: &'static str,
    /// Its name: where its trails are.
    pub(crate) name: &'static str,
    /// Its CUDA features.
    pub(crate) features: Option<&'static str>,
    /// Where it is in the repository.
    pub(crate) place: &'static str,
    /// Shares of the time for searches that each problem gets.
    pub(super) shares: usize,
}

/// In the order in which they are tuned.
pub(crate) const PACKAGES: [Package; 2] = [
    Package {
        folder: "kernels",
        name: "bico-kernels",
        features: Some("cuda"),
        place: "kernels",
        shares: 1,
    },
    // Its space is larger than any of the kernels', and each of its results is a whole batch.
    Package {
        folder: "contraction-cuda",
        name: "contraction-cuda",
        features: None,
        place: "examples/contraction-cuda",
        shares: 2,
    },
];

impl Package {
    /// Arguments of `cargo bico` for one of its tunables.
    pub(super) fn only<'a>(&'a self, key: &'a str) -> Vec<&'a str> {
        let features = self.features.map(|features| ["-F", features]);
        let chosen = ["--no-default-features"].into_iter();
        let chosen = chosen.chain(features.into_iter().flatten());
        chosen.chain(["--only", key]).collect()
    }

    /// Arguments for programs of the bundle that open it.
    pub(super) fn opened<'a>(&'a self, folder: &'a str) -> Vec<&'a str> {
        let features = self.features.map(|features| ["--features", features]);
        let package = ["--package", folder].into_iter();
        package.chain(features.into_iter().flatten()).collect()
    }
}
