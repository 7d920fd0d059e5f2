import { ApiError } from '#core/api-error.ts'
import type { ByteRange } from '#files/files.ts'

/**
 * Parses a Range header for a file of `size` bytes (RFC 9110 §14.2). Returns undefined for the
 * whole file, also if the header is malformed or has several ranges; throws 416 for a range beyond
 * the end.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
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
  new ApiError(
    416,
    'range_not_satisfiable',
    `The requested range is outside of the file, which has ${size} bytes.`,
    {
      headers: { 'content-range': `bytes */${size}` },
    },
  )
