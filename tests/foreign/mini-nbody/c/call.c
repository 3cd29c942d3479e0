/* What bico calls: the other takes a structure of pointers by value. */
void call(float *x, float *y, float *z, float *vx, float *vy, float *vz, float dt, int n, int tile)
{
    bodyForce((BodySystem){x, y, z, vx, vy, vz}, dt, n, tile);
}
