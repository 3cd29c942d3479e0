//! What `cargo bico status --prune` does.

use super::{Row, State, Survey};
use crate::Error;
use bico_build::lock;
use bico_core::device::DeviceKey;

impl Survey {
    /// Removes results that nothing asks for, and devices that are left without any.
    ///
    /// # Errors
    ///
    /// A mistake behind another feature may hide whose they are, or the lock cannot be written.
    pub(crate) fn prune(&self, rows: &[Row]) -> Result<(), Error> {
        let unused: Vec<&Row> = rows
            .iter()
            .filter(|row| row.state == State::Unused)
            .collect();
        if unused.is_empty() {
            return Ok(());
        }
        if !self.unseen.is_empty() {
            return Err(Error::Work(format!(
                "nothing was removed: mistakes behind other features may hide whose results they are\n{}\n  = help: mend these first",
                self.unseen.join("\n")
            )));
        }
        let remove = |lock: &mut lock::Lock| {
            for row in unused {
                let device = DeviceKey::new(row.device.clone().unwrap_or_default());
                lock.remove(&row.tunable, &device, &row.problem);
            }
            let kernels = &lock.kernels;
            let has_results =
                |device: &DeviceKey| kernels.values().any(|of| of.contains_key(device));
            lock.devices.retain(|device, _| has_results(device));
        };
        let path = self.env.manifest_dir.join("bico.lock");
        lock::modify(&path, None, remove).map_err(Error::work)?;
        Ok(())
    }
}
