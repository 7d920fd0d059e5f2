/*
 * As much of the tar format (ustar) as an archive needs: plain files with short names, and nothing
 * that would make a program write elsewhere or more than it is told.
 */

const BLOCK = 512
/** In eleven octal digits; larger sizes stand in binary, as GNU tar writes them. */
const LARGEST_OCTAL = 8 ** 11

/** A file in an archive: where its bytes begin, and how many they are. */
export interface Entry {
  name: string
  start: number
  size: number
}

/** The head of a file. Times and owners are left out: the same content makes the same bytes. */
export function headOf(name: string, size: number): Buffer {
  const head = Buffer.alloc(BLOCK)
  head.write(name, 0, 100, 'ascii')
  for (const [at, text] of [
    [100, '0000600\0'],
    [108, '0000000\0'],
    [116, '0000000\0'],
    [136, '00000000000\0'],
    [148, '        '],
    [156, '0'],
    [257, 'ustar\0'],
    [263, '00'],
  ] as const) {
    head.write(text, at, 'ascii')
  }
  if (size < LARGEST_OCTAL) head.write(`${octal(size, 11)}\0`, 124, 'ascii')
  else {
    head[124] = 0x80
    head.writeBigUInt64BE(BigInt(size), 128)
  }
  head.write(`${octal(sumOf(head), 6)}\0 `, 148, 'ascii')
  return head
}

/** What follows the bytes of a file of that size. */
export const paddingOf = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)

/** The end of an archive. */
export const END = Buffer.alloc(2 * BLOCK)

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')

/** Of all bytes of a head, those of the sum itself taken for spaces. */
function sumOf(head: Buffer): number {
  let sum = 0
  for (const [at, byte] of head.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte
  return sum
}

/** What is wrong with a tar, in words that say where. */
export class NoTar extends Error {}

/** So many bytes of an archive from there on; fewer where it ends. */
export type ReadAt = (at: number, length: number) => Promise<Buffer>

/** The heads of an archive one after the other. Throws NoTar at whatever `headOf` would not have written. */
export async function* entriesOf(read: ReadAt, total: number): AsyncGenerator<Entry> {
  for (let at = 0; ; ) {
    const head = await read(at, BLOCK)
    if (head.length < BLOCK) throw new NoTar('it ends in the middle: it is not a whole archive')
    if (head.every((byte) => byte === 0)) {
      const rest = total - at
      const isEnd = rest === END.length && (await isZero(read, at, rest))
      if (isEnd) return
      throw new NoTar('something stands behind its end, or the end is cut')
    }
    const name = head.toString('latin1', 0, head.indexOf(0))
    const size = sizeIn(head)
    if (!/^[a-z0-9_./]{1,99}$/.test(name) || !head.equals(headOf(name, size))) {
      throw new NoTar(`what stands at byte ${at} is no file that docket export has written`)
    }
    const start = at + BLOCK
    const padding = paddingOf(size).length
    at = start + size + padding
    if (at > total) throw new NoTar(`${name} is cut off: it is not a whole archive`)
    if (!(await isZero(read, start + size, padding))) {
      throw new NoTar(`something stands behind ${name}`)
    }
    yield { name, start, size }
  }
}

async function isZero(read: ReadAt, from: number, length: number): Promise<boolean> {
  if (length === 0) return true
  const bytes = await read(from, length)
  return bytes.length === length && bytes.every((byte) => byte === 0)
}

function sizeIn(head: Buffer): number {
  if (head[124] === 0x80) {
    const size = head.readBigUInt64BE(128)
    return size <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(size) : 0
  }
  const text = head.toString('latin1', 124, 135)
  return /^[0-7]{11}$/.test(text) ? Number.parseInt(text, 8) : 0
}
