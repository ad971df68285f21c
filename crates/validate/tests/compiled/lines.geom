#version 450
layout(points) in;
layout(line_strip, max_vertices = 2) out;
void main()
{
    for (int i = 0; i < 2; ++i) {
        gl_Position = gl_in[0].gl_Position + vec4(i);
        EmitVertex();
    }
    EndPrimitive();
}
