#version 450
#define TWICE(x) ((x) + (x))
#define LONG_NAME_THAT_BECOMES_SHORT a
layout(location = 0) in vec4 given;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0) uniform sampler2D image;
vec4 shade(float i, inout vec4 v)
{
	float a = TWICE(i);
	v += LONG_NAME_THAT_BECOMES_SHORT;
	return v * i;
}
void main()
{
	vec4 own = given;
	colour = shade(gl_FragCoord.x, own) + texture(image, own.xy);
	for (int i = 0; i < 3; ++i) {
		if (colour.x > 1.0)
			break;
		colour = TWICE(colour);
	}
#line 70
	if (colour.a < 0.1)
		discard;
}
