"""Common parts of the emitted vector code: the vector ISA of a processor, loops over rows of int16, sums of products.

The code is emitted by hand because LLVM does not find the multiply-add instructions by itself. All vector ISAs give the
same integers: additions wrap around at 16 bits, sums of products at 32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from llvmlite import binding as llvm
from llvmlite import ir

from eval.network.layout import ROW_STEP

_I8, _I16, _I32, _I64 = (ir.IntType(bits) for bits in (8, 16, 32, 64))
Value = Any  # of LLVM


@dataclass(frozen=True)
class VectorIsa:
    """The width of the vectors, and the instructions that multiply and add adjacent products.

    Without such instructions vectors are widened, multiplied and added.
    """

    lanes: int  # int16
    multiply_add: str | None = None  # int16, two products; without it LLVM finds `smlal` on aarch64
    multiply_bytes: str | None = None  # uint8 by int8, two products, to int16
    dot_bytes: str | None = None  # uint8 by int8 on x86, int8 on aarch64, four products, added to int32

    @property
    def words(self) -> Value:
        """The type of a vector of int16."""
        return ir.VectorType(_I16, self.lanes)

    @property
    def sums(self) -> Value:
        """The type of a vector of int32 of the same size."""
        return ir.VectorType(_I32, self.lanes // 2)

    @property
    def bytes(self) -> int:
        """The size of a vector in bytes."""
        return 2 * self.lanes

    @property
    def step(self) -> int:
        """How many vectors one step of a loop processes."""
        return ROW_STEP // self.bytes


PORTABLE = VectorIsa(8)
DOTPROD = VectorIsa(8, dot_bytes="llvm.aarch64.neon.sdot.v4i32.v16i8")
AVX2 = VectorIsa(16, "llvm.x86.avx2.pmadd.wd", "llvm.x86.avx2.pmadd.ub.sw")
AVX512 = VectorIsa(32, "llvm.x86.avx512.pmaddw.d.512", "llvm.x86.avx512.pmaddubs.w.512")
SSE2 = VectorIsa(8, "llvm.x86.sse2.pmadd.wd")
AVX2_VNNI = replace(AVX2, dot_bytes="llvm.x86.avx512.vpdpbusd.256")
AVX512_VNNI = replace(AVX512, dot_bytes="llvm.x86.avx512.vpdpbusd.512")
_X86_ISAS = (("zmm", AVX512, AVX512_VNNI), ("ymm", AVX2, AVX2_VNNI), ("xmm", SSE2, SSE2))  # without and with VNNI


def vector_isa_of(machine: llvm.TargetMachine) -> VectorIsa:
    """The vector ISA of the processor that a target machine compiles for, which may differ from this one.

    LLVM does not report which instructions a processor has, so this compiles test functions. The registers used to add
    a long vector are the widest ones for int16; a sum of products of bytes shows whether there is `vpdpbusd` or `sdot`.
    """
    if machine.triple.startswith(("x86_64", "i686", "i386")):
        vector = ir.VectorType(_I16, AVX512.lanes)
        assembly = _assembly(machine, vector, lambda builder, value: builder.add(value, value))
        plain, with_vnni = next(isas for register, *isas in _X86_ISAS if register in assembly)
        return with_vnni if "vpdpbusd" in _assembly(machine, ir.VectorType(_I8, 64), _unsigned_by_signed) else plain
    return DOTPROD if "sdot" in _assembly(machine, ir.VectorType(_I8, 16), _signed_by_signed) else PORTABLE


def _signed_by_signed(builder: Any, value: Value) -> Value:
    """The sum of squares of a vector of int8, written so that LLVM uses `sdot` where it can."""
    wide = ir.VectorType(_I32, value.type.count)
    return _total(builder, builder.mul(builder.sext(value, wide), builder.sext(value, wide)))


def _unsigned_by_signed(builder: Any, value: Value) -> Value:
    """The sum of bytes as uint8 times the same as int8, written so that LLVM uses `vpdpbusd` where it can."""
    wide = ir.VectorType(_I32, value.type.count)
    return _total(builder, builder.mul(builder.zext(value, wide), builder.sext(value, wide)))


def _total(builder: Any, values: Value) -> Value:
    name = f"llvm.vector.reduce.add.v{values.type.count}i32"
    return builder.call(ir.Function(builder.module, ir.FunctionType(_I32, [values.type]), name), [values])


def _assembly(machine: llvm.TargetMachine, vector: Value, compute: Callable[[Any, Value], Value]) -> str:
    """The assembly text of a computation with one vector."""
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [vector.as_pointer()]), "probe")
    builder = ir.IRBuilder(function.append_basic_block())
    result = compute(builder, builder.load(function.args[0]))
    builder.store(result, builder.bitcast(function.args[0], result.type.as_pointer()))
    builder.ret_void()
    parsed = llvm.parse_assembly(str(module))
    parsed.triple = machine.triple
    assembly: str = machine.emit_assembly(parsed)
    return assembly


class RowEmitter:
    """Emits loops over rows for one vector ISA."""

    def __init__(self, form: VectorIsa, builder: Any) -> None:
        self.form = form
        self.builder = builder

    def declare(self, name: str, result: Value, *parameters: Value) -> Value:
        known = self.builder.module.globals.get(name)
        return known or ir.Function(self.builder.module, ir.FunctionType(result, parameters), name)

    def constant(self, llvm_type: Value, value: int) -> Value:
        return ir.Constant(llvm_type, [value] * llvm_type.count)

    def pointer(self, address: Value, number: int) -> Value:
        """A pointer to the vector with this number after an address."""
        start = self.builder.add(address, _I64(number * self.form.bytes))
        return self.builder.inttoptr(start, self.form.words.as_pointer())

    def load(self, address: Value, number: int) -> Value:
        return self.builder.load(self.pointer(address, number), align=self.form.bytes)

    def store(self, value: Value, address: Value, number: int) -> None:
        self.builder.store(value, self.pointer(address, number), align=self.form.bytes)

    def repeat(self, end: Value, step: int, values: list[Value],
               body: Callable[[Value, list[Value]], list[Value]]) -> list[Value]:
        """A loop over 0, step, ... below `end`, run at least once; `body` computes new values from the last ones."""
        builder, before = self.builder, self.builder.block
        inside, after = builder.append_basic_block("rows"), builder.append_basic_block("done")
        builder.branch(inside)
        builder.position_at_end(inside)
        index = builder.phi(_I64)
        index.add_incoming(_I64(0), before)
        carried = [builder.phi(value.type) for value in values]
        for phi, value in zip(carried, values, strict=True):
            phi.add_incoming(value, before)
        results = body(index, list(carried))
        following = builder.add(index, _I64(step))
        index.add_incoming(following, builder.block)
        for phi, value in zip(carried, results, strict=True):
            phi.add_incoming(value, builder.block)
        builder.cbranch(builder.icmp_unsigned("<", following, end), inside, after)
        builder.position_at_end(after)
        return results

    def clamp(self, value: Value, largest: Value) -> Value:
        """A vector of int16, clamped to 0 .. those of another."""
        builder, words, lanes = self.builder, self.form.words, self.form.lanes
        maximum = self.declare(f"llvm.smax.v{lanes}i16", words, words, words)
        minimum = self.declare(f"llvm.smin.v{lanes}i16", words, words, words)
        value = builder.call(maximum, [value, self.constant(words, 0)])
        return builder.call(minimum, [value, largest])

    def products(self, left: Value, right: Value) -> list[Value]:
        """Vectors of int32 whose total is the sum of the products of two vectors of int16."""
        words = self.form.words
        if self.form.multiply_add is not None:
            multiply_add = self.declare(self.form.multiply_add, self.form.sums, words, words)
            return [self.builder.call(multiply_add, [left, right])]
        return [self.builder.mul(self.widen(left, half), self.widen(right, half)) for half in range(2)]

    def widen(self, value: Value, half: int) -> Value:
        """The lower or upper half of a vector, as int32."""
        count = self.form.lanes // 2
        chosen = ir.Constant(ir.VectorType(_I32, count), [half * count + lane for lane in range(count)])
        return self.builder.sext(self.builder.shuffle_vector(value, value, chosen), self.form.sums)

    def total(self, sums: list[Value]) -> Value:
        """The sum of all int32 in all vectors, as an int64."""
        joined = sums[0]
        for other in sums[1:]:
            joined = self.builder.add(joined, other)
        reduce = self.declare(f"llvm.vector.reduce.add.v{self.form.lanes // 2}i32", _I32, self.form.sums)
        return self.builder.sext(self.builder.call(reduce, [joined]), _I64)
