//! Kernels through the real NVRTC, without a GPU. Where there is none, this says so and tests nothing.
//!
//! This program is its own compiling process, hence the `main`.

mod compiling;
mod faults;
mod hang;
mod headers;
mod hopper;
mod keeping;
mod look;
mod setup;

use setup::Setup;
use std::path::Path;

type Test = fn(&Setup);

/// Tests with their names.
macro_rules! tests {
    ($($module:ident::$test:ident,)*) => {
        &[$((stringify!($test), $module::$test)),*]
    };
}

fn main() {
    bico_build::compile::run_if_compiler();
    if let Some(folder) = std::env::args()
        .nth(1)
        .and_then(|word| word.strip_prefix(hang::ARGUMENT).map(String::from))
    {
        hang::compile(Path::new(&folder));
    }
    let tests: &[(&str, Test)] = tests![
        compiling::templates_and_plain_names,
        compiling::several_kernels_are_one_unit,
        compiling::every_architecture,
        compiling::parameters_have_their_sizes,
        compiling::variables_are_told,
        compiling::resources_are_read,
        hopper::features_of_one_gpu,
        hopper::boxes_of_tensors,
        hopper::products_are_instructions,
        hopper::attention_is_instructions,
        hopper::linear_unit_is_instructions,
        compiling::definitions_select_code,
        compiling::headers_are_found,
        compiling::kernels_have_their_own_code,
        headers::those_of_a_host_are_there,
        headers::those_of_cub_are_there,
        faults::errors_name_the_authors_file,
        faults::an_unknown_kernel_is_named,
        faults::foreign_flags_are_refused,
        faults::unknown_architectures_are_told,
        keeping::what_is_kept_is_not_compiled_again,
        keeping::a_changed_header_counts,
        look::what_is_carried_is_what_is_written,
        faults::an_endless_compile_is_ended,
        hang::a_hanging_compiler_is_ended,
        hang::a_hanging_compiler_ends_with_the_build,
        faults::a_crash_costs_one_unit,
        compiling::odd_names_and_values,
        faults::a_named_compiler_is_the_only_one,
        keeping::many_at_once,
        keeping::nvcc_does_the_same,
    ];
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--list") {
        tests.iter().for_each(|(name, _)| println!("{name}: test"));
        return;
    }
    let wanted: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(*word));
    if !tests.iter().any(|(name, _)| wanted(name)) {
        return;
    }
    let Some(setup) = Setup::new() else {
        return;
    };
    for (name, test) in tests.iter().filter(|(name, _)| wanted(name)) {
        println!("test {name} ...");
        test(&setup);
    }
    println!("test result: ok");
}
