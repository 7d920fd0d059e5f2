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
const CHECKBOX = /^(?:\[([ xX]?)\]|([☐☑☒✓✔✅]))\s+/u

/**
 * The lines of a pasted text that are not empty, without the marks of lists. A number is one only
 * where the lines count: `18. May` is a day, and `1.5` a version.
 */
export function parsePastedLines(pasted: string): PastedLine[] {
  const lines = pasted.split(LINE_BREAK).map(toOneLine).filter(Boolean)
  const numbers = lines.map((line) => Number(NUMBER.exec(line)?.[1] ?? Number.NaN))
  const counted = numbers.filter((number) => !Number.isNaN(number))
  let at = -1
  return lines.flatMap((line, position) => {
    const number = numbers[position] ?? Number.NaN
    if (!Number.isNaN(number)) at += 1
    const isCounted =
      number === position + 1 || counted[at - 1] === number - 1 || counted[at + 1] === number + 1
    const unmarked = line.replace(BULLET, '').replace(isCounted ? NUMBER : '', '')
    const [box = '', sign, mark] = CHECKBOX.exec(unmarked) ?? []
    const text = unmarked.slice(box.length).trim()
    const isDone = /x/i.test(sign ?? '') || (mark !== undefined && mark !== '☐')
    return text === '' ? [] : { text, isDone }
  })
}
