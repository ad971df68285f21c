struct Base { float a; float get() { return a; } };
struct Derived : Base { float2 b; };
enum Mode { Plain, Bright = 4 };
template<typename T> T twice(T v) { return v + v; }
cbuffer Params : register(b0) { float4x4 world; float3 tint; bool flag; int counts[4]; };
Texture2D<float4> image : register(t0);
SamplerState plain : register(s0);
StructuredBuffer<Derived> items : register(t1);
static float counter = 1.0;
void many(in float a, out float b, inout float c) { b = a; c += a; }
float4 main(float2 uv : TEXCOORD0, nointerpolation uint id : ID, out float depth : SV_Depth) : SV_Target0
{
    Derived d = items[id];
    float x = d.get(), y, z = 1;
    many(x, y, z);
    for (int i = 0; i < counts[1]; ++i) { if (i == 2) continue; x += i; }
    float4 c = image.Sample(plain, uv) * twice<float4>(y.xxxx) + mul(world, float4(tint, z));
    Mode m = flag ? Plain : Bright;
    if (c.a < 0.1) discard;
    counter += x;
    depth = counter;
    return c + (float)m;
}
