const PLAIN = '0123456789+-=()abcdefghijklmnoprstuvwxyzTM−'
const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀᴹ⁻'
const LOWERED_PLAIN = '0123456789+-=()aehijklmnoprstuvx−'
const LOWERED = '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ₋'

const toMap = (from: string, to: string): ReadonlyMap<string, string> => {
  const signs = [...to]
  return new Map([...from].map((sign, at) => [sign, signs[at] ?? sign]))
}
const MAPS = { sup: toMap(PLAIN, RAISED), sub: toMap(LOWERED_PLAIN, LOWERED) }

/**
 * The raised or lowered characters for a short text, which Markdown cannot mark: 10⁶ is another number than
 * 106. Undefined for what stays as it is: marks of notes and words.
 */
export function toSuperscript(text: string, kind: 'sup' | 'sub'): string | undefined {
  const signs = [...text.trim()]
  if (signs.length === 0 || signs.length > 20) return undefined
  const raised = signs.map((sign) => MAPS[kind].get(sign))
  if (raised.every((sign) => sign !== undefined)) return raised.join('')
  // Formulas with signs that have no such form.
  if (!/^[\p{L}\p{N}+\-−=*/().,\s]+$/u.test(text) || !/[\p{L}\p{N}]/u.test(text)) return undefined
  return `${kind === 'sup' ? '^' : '_'}${signs.length === 1 ? text.trim() : `(${text.trim()})`}`
}
