#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 coordinates;
layout(location = 0) out vec2 passed;
layout(push_constant) uniform Push { mat4 world; vec4 tint[2]; } push;
void main()
{
    // The block that gl_Position is in stands in no source.
    gl_Position = push.world * vec4(position, 1.0) * push.tint[gl_InstanceIndex & 1];
    gl_PointSize = 2.0;
    passed = coordinates;
}
