//! The rules of headers, merge blocks, loops and their nesting (specification, section
//! 2.11).
