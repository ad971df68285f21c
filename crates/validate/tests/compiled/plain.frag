#version 450
layout(location = 0) in vec4 given;
layout(location = 0) out vec4 colour;
vec4 shade(float i)
{
    return given * i;
}
void main()
{
    colour = shade(gl_FragCoord.x);
}
