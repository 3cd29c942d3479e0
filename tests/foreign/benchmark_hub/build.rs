fn main() {
    bico_build::tune();
}
