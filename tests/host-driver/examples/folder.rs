//! Prints the folder that holds `libcuda.so.1` and `libnvrtc.so`.

fn main() {
    println!("{}", host_driver::folder().display());
}
