# For the debugger: the types of variables that can be seen where a line's code is. Its own
# commands tell types of variables only while a program runs.
def types_of(name, place):
    for sal in gdb.decode_line(place)[1] or ():
        block = gdb.block_for_pc(sal.pc)
        while block is not None and not block.is_static and not block.is_global:
            for symbol in block:
                if symbol.name == name and (symbol.is_argument or symbol.is_variable):
                    kind = "argument" if symbol.is_argument else "variable"
                    print("%s %s" % (kind, symbol.type))
            block = block.superblock
