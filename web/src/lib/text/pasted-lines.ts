import { toOneLine } from '#lib/one-line.ts'

/** A line that becomes a task. */
export interface PastedLine {
  text: string
  /** Whether a check mark before it says that it is done. */
  isDone: boolean
}

const LINE_BREAK = /\r\n|[\n\r\u0085\u2028\u2029]/
const BULLET = /^[-*+•◦▪–]\s+/
const NUMBER = /^(\d{1,3})[.)]\s+/
const CHECKBOX = /^(\[[ x]?\]|[☐☑☒✓✔✅])\s+/iu

/**
 * The lines of a pasted text that are not empty, without the marks of lists. Numbers are marks only
 * if all of them together count from 1: `1. May` alone is a day, and `1.5` a version.
 */
export function parsePastedLines(pasted: string): PastedLine[] {
  const lines = pasted.split(LINE_BREAK).map(toOneLine).filter(Boolean)
  const numbers = new Set(lines.flatMap((line) => NUMBER.exec(line)?.[1] ?? []))
  const isNumbered = numbers.size > 1 && [...numbers].every((_, at) => numbers.has(`${at + 1}`))
  return lines.flatMap((line) => {
    const unmarked = line.replace(BULLET, '').replace(isNumbered ? NUMBER : '', '')
    const [box = ''] = CHECKBOX.exec(unmarked) ?? []
    const text = unmarked.slice(box.length).trim()
    return text === '' ? [] : { text, isDone: /[^[\]☐\s]/.test(box) }
  })
}
