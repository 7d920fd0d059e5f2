import fc from 'fast-check'

const [FIRST_SURROGATE, SURROGATES, CODE_POINTS] = [0xd800, 0x800, 0x110000]

/**
 * Any code point but a surrogate, as the unit of strings. The unit `binary` of fast-check does the
 * same, but first makes a map of all of them, which costs a second of processor time and 100 MB in
 * each process.
 */
export const anyCodePoint = fc
  .oneof(fc.nat(0x7f), fc.nat(FIRST_SURROGATE - 1), fc.nat(CODE_POINTS - SURROGATES - 1))
  .map((n) => String.fromCodePoint(n < FIRST_SURROGATE ? n : n + SURROGATES))
