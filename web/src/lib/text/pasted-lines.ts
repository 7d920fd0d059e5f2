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
 * The lines of a pasted text that are not empty, without the marks of lists. A number is one only
 * where the lines count: `18. May` is a day, and `1.5` a version.
 */
export function parsePastedLines(pasted: string): PastedLine[] {
  const lines = pasted.split(LINE_BREAK).map(toOneLine).filter(Boolean)
  const numbers = lines.map((line) => Number(NUMBER.exec(line)?.[1]))
  // A line without a number has NaN.
  const counted = numbers.filter((number) => number >= 0)
  let at = -1
  return lines.flatMap((line, position) => {
    const number = Number(numbers[position])
    if (number >= 0) at += 1
    const isCounted =
      number === position + 1 || counted[at - 1] === number - 1 || counted[at + 1] === number + 1
    const unmarked = line.replace(BULLET, '').replace(isCounted ? NUMBER : '', '')
    const [box = ''] = CHECKBOX.exec(unmarked) ?? []
    const text = unmarked.slice(box.length).trim()
    return text === '' ? [] : { text, isDone: /[^[\]☐\s]/.test(box) }
  })
}
