/* What the other's main would set. */
int omp_num_threads = WORKERS;
