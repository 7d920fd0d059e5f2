import { Refusal } from '#core/refusal.ts'
import type { Range } from '#files/files.ts'

/**
 * The one range of bytes that is asked for, of a file of so many; undefined for the whole file, also
 * where the header makes no sense or asks for several. A 416 where nothing of the file is in it.
 */
export function rangeOf(header: string | undefined, size: number): Range | undefined {
  const [, from = '', to = ''] =
    /^bytes[ \t]*=[ \t]*(\d{0,15})-(\d{0,15})$/i.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  if (from === '') {
    if (Number(to) === 0) throw notSatisfiable(size)
    return { start: Math.max(size - Number(to), 0), end: size - 1 }
  }
  const start = Number(from)
  const end = to === '' ? size - 1 : Number(to)
  if (to !== '' && end < start) return undefined
  if (start >= size) throw notSatisfiable(size)
  return { start, end: Math.min(end, size - 1) }
}

const notSatisfiable = (size: number) =>
  new Refusal(416, 'range_not_satisfiable', `The file has ${size} bytes.`, {
    headers: { 'content-range': `bytes */${size}` },
  })
