import type { Element, Nodes } from 'hast'
import { plainTextOf } from './properties.ts'

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

/** The signs between the parts of a formula that MathML places above or below each other. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['mfrac', '/'],
  ['msup', '^'],
  ['msub', '_'],
])

/** The text of MathML: the TeX that it came from, or its signs in a line, so that ½ does not become 12. */
export const toFormula = (math: Element): string =>
  String(math.properties.alttext ?? findTex(math) ?? writeSigns(math))

function findTex({ children }: Element): string | undefined {
  for (const child of children) {
    if (child.type !== 'element') continue
    if (/tex/i.test(String(child.properties.encoding ?? ''))) return plainTextOf(child).trim()
    const tex = findTex(child)
    if (tex !== undefined) return tex
  }
  return undefined
}

function writeSigns(node: Nodes): string {
  if (node.type === 'text') return node.value
  if (!('children' in node)) return ''
  if (node.type !== 'element') return node.children.map(writeSigns).join('')
  if (/^annotation/.test(node.tagName)) return ''
  const sign = SIGNS.get(node.tagName)
  if (sign === undefined) return node.children.map(writeSigns).join('')
  const parts = node.children.map((child) => writeSigns(child).trim()).filter(Boolean)
  return parts.map((part) => (/^[\p{L}\p{N}.]+$/u.test(part) ? part : `(${part})`)).join(sign)
}
