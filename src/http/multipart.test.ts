import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { Malformed } from './delimiters.ts'
import { readParts } from './multipart.ts'

const BOUNDARY = 'x-boundary'
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`
const END = `\r\n--${BOUNDARY}--\r\n`
const formOf = (content: string | Buffer, end = END) =>
  Buffer.concat([Buffer.from(HEAD), Buffer.from(content), Buffer.from(end)])

/** What is read of a body that comes in chunks: the bytes of each part, or undefined for no form. */
async function read(chunks: readonly Buffer[], boundary = BOUNDARY, slowness = 0) {
  async function* coming() {
    yield* chunks
  }
  const parts: string[] = []
  const take = async (_: unknown, bytes: AsyncIterable<Uint8Array>) => {
    const at = parts.push('') - 1
    for await (const chunk of bytes) {
      if (slowness > 0) await pause(slowness)
      parts[at] += Buffer.from(chunk).toString('latin1')
    }
  }
  try {
    await readParts(coming(), `multipart/form-data; boundary="${boundary}"`, take)
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
  return parts
}

/** Bytes in pieces that end where the numbers say. */
function cut(bytes: Buffer, ends: readonly number[]): Buffer[] {
  const at = ends.map((end) => end % bytes.length).toSorted((a, b) => a - b)
  return [0, ...at].map((from, piece) => bytes.subarray(from, at[piece] ?? bytes.length))
}

/** Contents with much in them that looks like a delimiter, or the beginning of one. */
const contents = fc
  .array(
    fc.oneof(
      fc.constantFrom(`\r\n--${BOUNDARY}`, `--${BOUNDARY}`, `\n--${BOUNDARY}`, '\r\n--x-bound'),
      fc.constantFrom('\r\n', '\r', '\n', '--', '-', ' ', '\t', 'x', '-of-another', '\r\n\r\n'),
      fc.constantFrom('Content-Disposition: form-data; name="file"\r\n\r\n', ' '.repeat(70)),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''))

test('a file is read as it was sent, or refused where it contains its boundary', async () => {
  const seen = { whole: 0, refused: 0, several: 0 }
  const ends = fc.array(fc.nat(), { maxLength: 8 })
  const property = fc.asyncProperty(contents, ends, async (content, at) => {
    const parts = await read(cut(formOf(Buffer.from(content, 'latin1')), at))
    if (!`\r\n${content}`.includes(`\r\n--${BOUNDARY}`)) {
      assert.deepEqual(parts, [content])
      seen.whole += 1
    } else if (parts === undefined) seen.refused += 1
    else {
      // It holds a whole form: two parts, which are one too many.
      assert.ok(parts.length > 1, `${parts.length} part`)
      seen.several += 1
    }
  })
  await fc.assert(property, { numRuns: 4_000 })
  assert.ok(Math.min(seen.whole, seen.refused, seen.several) > 20, JSON.stringify(seen))
})

test('what begins like a delimiter and is none is refused, wherever it is cut', async () => {
  const within = [
    '-of-another\r\n',
    '--\r\n',
    '--of-another\r\n',
    '\r\n',
    '',
    '-\r\n',
    ' x\r\n',
    '\r',
  ]
  for (const text of [...within, ' '.repeat(70)]) {
    const bytes = formOf(`first line\r\n--${BOUNDARY}${text}second line`)
    for (let at = 1; at < bytes.length; at += 1) {
      assert.equal(await read(cut(bytes, [at])), undefined, `${JSON.stringify(text)} cut at ${at}`)
    }
  }
  const endless = formOf('x', `\r\n--${BOUNDARY}--x\r\n--${BOUNDARY}`)
  assert.equal(await read([endless]), undefined)
})

test('white space may follow a delimiter, and anything but the boundary its last one', async () => {
  for (const end of ['--', '--\r\n', '-- \t\r\n', '--\n', '--\r\nThe end\r\n--x-boundar\r\n']) {
    const bytes = formOf('Hello', `\r\n--${BOUNDARY}${end}`)
    assert.deepEqual(await read([bytes]), ['Hello'], JSON.stringify(end))
    assert.deepEqual(await read([...bytes].map((byte) => Buffer.of(byte))), ['Hello'])
  }
  const padded = Buffer.from(`--${BOUNDARY} \t\r\n${HEAD.slice(HEAD.indexOf('C'))}Hello${END}`)
  assert.deepEqual(await read([padded]), ['Hello'])
})

test('a boundary has 70 bytes at most', async () => {
  for (const length of [71, 252, 253, 5_000]) {
    assert.equal(await read([formOf('Hello')], 'x'.repeat(length)), undefined)
  }
  const longest = 'x'.repeat(70)
  const body = formOf('Hello').toString('latin1').replaceAll(BOUNDARY, longest)
  assert.deepEqual(await read([Buffer.from(body)], longest), ['Hello'])
})

test('a file that ends in a large chunk is read to its end, however slowly it is taken', async () => {
  const bytes = formOf(Buffer.alloc(200_000, 'x'))
  const late = [bytes.subarray(0, 1_000), bytes.subarray(1_000, 31_000), bytes.subarray(31_000)]
  for (const chunks of [[bytes], late, [...late, Buffer.alloc(100_000)]]) {
    const parts = await read(chunks, BOUNDARY, 5)
    assert.equal(parts?.join('').length, 200_000)
  }
})

test('when a body breaks off, nobody takes bytes any more', async () => {
  const bytes = formOf(Buffer.alloc(300_000, 'x'))
  async function* broken() {
    yield bytes.subarray(0, 50_000)
    throw new Error('The link is cut')
  }
  let isOver = false
  const after: number[] = []
  const take = async (_: unknown, chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) {
      await setImmediate()
      if (isOver) after.push(chunk.length)
    }
  }
  const reading = readParts(broken(), `multipart/form-data; boundary=${BOUNDARY}`, take)
  await assert.rejects(reading, /The link is cut/)
  isOver = true
  for (let turn = 0; turn < 20; turn += 1) await setImmediate()
  assert.deepEqual(after, [])
})

test('a body of endless parts is given up at the first that is refused', async () => {
  let sent = 0
  async function* endless() {
    for (; sent < 10_000; sent += 1) {
      yield Buffer.from(`\r\n--${BOUNDARY}\r\n\r\nx`)
      if (sent % 100 === 0) await pause(1)
    }
  }
  const take = async () => {
    throw new Error('Enough')
  }
  const reading = readParts(endless(), `multipart/form-data; boundary=${BOUNDARY}`, take)
  await assert.rejects(reading, /Enough/)
  assert.ok(sent < 100, `${sent} parts`)
})
