/* What bico calls: the other has a name of C++'s, and an output that it leaves alone. */
extern "C" void call(int *items, int *reference, int side, int penalty)
{
    nw_optimized(items, nullptr, reference, side, side, penalty);
}
