#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
struct Item { vec3 place; float weight; uint kinds[3]; };
layout(std430, set = 0, binding = 0) buffer Items { uint count; Item items[]; };
layout(constant_id = 3) const int rounds = 2;
shared float sums[64];
const int table[4] = int[](1, 2, 3, 4);
float half_of(const in float x);
void gather(uint at, out float sum)
{
    sum = 0.0;
    for (int i = 0; i < rounds; ++i) {
        switch (items[at].kinds[i]) {
        case 0: continue;
        case 1: sum += items[at].weight; break;
        default: sum -= half_of(items[at].place[i]); break;
        }
    }
}
float half_of(const in float x) { return x * 0.5 * table[int(x) & 3]; }
void main()
{
    uint own = gl_GlobalInvocationID.x;
    if (own >= count)
        return;
    gather(own, sums[gl_LocalInvocationIndex]);
    barrier();
    items[own].weight = subgroupAdd(sums[63u - gl_LocalInvocationIndex]);
}
