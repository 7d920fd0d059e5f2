import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { MalformedMultipartError, readMultipart } from './multipart.ts'

const BOUNDARY = 'x-boundary'
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`
const END = `\r\n--${BOUNDARY}--\r\n`
const formOf = (content: string | Buffer, end = END) =>
  Buffer.concat([Buffer.from(HEAD), Buffer.from(content), Buffer.from(end)])

/** Reads a body in chunks: returns the bytes of each part, or undefined if it is malformed. */
async function read(chunks: readonly Buffer[], boundary = BOUNDARY, delayMs = 0) {
  async function* body() {
    yield* chunks
  }
  const parts: string[] = []
  const take = async (_: unknown, bytes: AsyncIterable<Uint8Array>) => {
    const at = parts.push('') - 1
    for await (const chunk of bytes) {
      if (delayMs > 0) await pause(delayMs)
      parts[at] += Buffer.from(chunk).toString('latin1')
    }
  }
  try {
    await readMultipart(body(), `multipart/form-data; boundary="${boundary}"`, take)
  } catch (error) {
    if (error instanceof MalformedMultipartError) return undefined
    throw error
  }
  return parts
}

/** Splits the bytes at the given positions. */
function split(bytes: Buffer, ends: readonly number[]): Buffer[] {
  const at = ends.map((end) => end % bytes.length).toSorted((a, b) => a - b)
  return [0, ...at].map((from, piece) => bytes.subarray(from, at[piece] ?? bytes.length))
}

/** Contents with many fragments that resemble a delimiter or its beginning. */
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

test('reads any file unchanged, or rejects a body whose file contains the boundary', async () => {
  const seen = { whole: 0, refused: 0, several: 0 }
  const ends = fc.array(fc.nat(), { maxLength: 8 })
  const property = fc.asyncProperty(contents, ends, async (content, at) => {
    const parts = await read(split(formOf(Buffer.from(content, 'latin1')), at))
    if (!`\r\n${content}`.includes(`\r\n--${BOUNDARY}`)) {
      assert.deepEqual(parts, [content])
      seen.whole += 1
    } else if (parts === undefined) seen.refused += 1
    else {
      // The content holds a delimiter with valid headers, so it is read as several parts.
      assert.ok(parts.length > 1, `${parts.length} part`)
      seen.several += 1
    }
  })
  await fc.assert(property, { numRuns: 800 })
  assert.ok(Math.min(seen.whole, seen.refused, seen.several) > 4, JSON.stringify(seen))
})

test('rejects text that only begins like a delimiter, at every chunk boundary', async () => {
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
      assert.equal(
        await read(split(bytes, [at])),
        undefined,
        `${JSON.stringify(text)} cut at ${at}`,
      )
    }
  }
  const endless = formOf('x', `\r\n--${BOUNDARY}--x\r\n--${BOUNDARY}`)
  assert.equal(await read([endless]), undefined)
})

test('accepts white space after a delimiter and any epilogue without the boundary', async () => {
  for (const end of ['--', '--\r\n', '-- \t\r\n', '--\n', '--\r\nThe end\r\n--x-boundar\r\n']) {
    const bytes = formOf('Hello', `\r\n--${BOUNDARY}${end}`)
    assert.deepEqual(await read([bytes]), ['Hello'], JSON.stringify(end))
    assert.deepEqual(await read([...bytes].map((byte) => Buffer.of(byte))), ['Hello'])
  }
  const padded = Buffer.from(`--${BOUNDARY} \t\r\n${HEAD.slice(HEAD.indexOf('C'))}Hello${END}`)
  assert.deepEqual(await read([padded]), ['Hello'])
})

test('rejects boundaries longer than 70 bytes', async () => {
  for (const length of [71, 252, 253, 5_000]) {
    assert.equal(await read([formOf('Hello')], 'x'.repeat(length)), undefined)
  }
  const longest = 'x'.repeat(70)
  const body = formOf('Hello').toString('latin1').replaceAll(BOUNDARY, longest)
  assert.deepEqual(await read([Buffer.from(body)], longest), ['Hello'])
})

test('reads a file to its end when a slow consumer meets a large last chunk', async () => {
  const bytes = formOf(Buffer.alloc(200_000, 'x'))
  const largeLast = [
    bytes.subarray(0, 1_000),
    bytes.subarray(1_000, 31_000),
    bytes.subarray(31_000),
  ]
  for (const chunks of [[bytes], largeLast, [...largeLast, Buffer.alloc(100_000)]]) {
    const parts = await read(chunks, BOUNDARY, 5)
    assert.equal(parts?.join('').length, 200_000)
  }
})

test('stops part handlers when the body breaks off', async () => {
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
  const reading = readMultipart(broken(), `multipart/form-data; boundary=${BOUNDARY}`, take)
  await assert.rejects(reading, /The link is cut/)
  isOver = true
  for (let turn = 0; turn < 20; turn += 1) await setImmediate()
  assert.deepEqual(after, [])
})

test('stops reading an endless body when the part handler throws', async () => {
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
  const reading = readMultipart(endless(), `multipart/form-data; boundary=${BOUNDARY}`, take)
  await assert.rejects(reading, /Enough/)
  assert.ok(sent < 100, `${sent} parts`)
})
