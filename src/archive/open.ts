import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { conflict, type Refusal } from '#core/refusal.ts'
import { fromJson, type Json } from '#lib/json.ts'
import { readerOf } from '#wire/read.ts'
import { Keys } from './keys.ts'
import { LATER, PARTS, type Part } from './lines.ts'
import { FORMAT, MANIFEST, Manifest, nameOfFile, nameOfPart } from './manifest.ts'
import { type Entry, entriesOf, NoTar, type ReadAt } from './tar.ts'

/** An archive that is not as it was made, or is none. */
export const damaged = (what: string): Refusal =>
  conflict('archive_damaged', `${what} Nothing was imported.`)

/** Where things stand in an archive whose manifest and heads were read. */
export interface Opened {
  manifest: Manifest
  entryOf(part: Part): Entry
  /** Where the bytes of an attachment are. */
  fileOf(id: string): Pick<Entry, 'start' | 'size'> | undefined
  /** How many files of attachments there are. */
  files: number
  /** The bytes of a file, some at a time: they are others when the next are asked for. */
  bytesOf(entry: Pick<Entry, 'start' | 'size'>): AsyncGenerator<Buffer>
  close(): Promise<void>
}

const CHUNK = 64 * 1024
const LARGEST_MANIFEST = 1024 * 1024

/** Opens an archive and reads what it says of itself. 409 `archive_damaged`, `archive_newer`. */
export async function openArchive(path: string): Promise<Opened> {
  const file = await open(path, 'r').catch((error: Error) => {
    throw conflict('archive_missing', `${path} cannot be opened: ${error.message}`)
  })
  try {
    return await look(file)
  } catch (error) {
    await file.close()
    if (error instanceof NoTar) throw damaged(`This is no archive of Docket: ${error.message}.`)
    throw error
  }
}

async function look(file: FileHandle): Promise<Opened> {
  const found = await file.stat()
  if (!found.isFile()) throw new NoTar('it is no plain file')
  const parts = new Map<string, Entry>()
  const [ids, starts, sizes] = [new Keys(), [] as number[], [] as number[]]
  let last = ''
  for await (const entry of entriesOf(readerAt(file), found.size)) {
    last = entry.name
    if (NAMES.has(last)) {
      if (parts.has(last)) throw new NoTar(`${last} is there twice`)
      parts.set(last, entry)
    } else {
      if (!FILE.test(last)) throw new NoTar(`${last} is no name of a file that it may have`)
      if (ids.add(last) === undefined) throw new NoTar(`${last} is there twice`)
      starts.push(entry.start)
      sizes.push(entry.size)
    }
  }
  const text = parts.get(MANIFEST)
  if (!text || last !== MANIFEST) throw new NoTar(`it does not end with ${MANIFEST}`)
  if (text.size > LARGEST_MANIFEST) throw new NoTar(`${MANIFEST} is too large`)
  const bytes = Buffer.concat(
    await Array.fromAsync(bytesIn(file, text), (some) => Buffer.from(some)),
  )
  const manifest = manifestIn(bytes.toString())
  return {
    manifest,
    entryOf(part) {
      const entry = parts.get(nameOfPart(part))
      if (!entry) throw damaged(`${nameOfPart(part)} is missing.`)
      return entry
    },
    fileOf(id) {
      const at = ids.of(nameOfFile(id))
      return at === undefined ? undefined : { start: starts[at] ?? 0, size: sizes[at] ?? 0 }
    },
    files: ids.count,
    bytesOf: (entry) => bytesIn(file, entry),
    close: () => file.close(),
  }
}

const NAMES: ReadonlySet<string> = new Set([MANIFEST, ...PARTS.map(nameOfPart)])
const FILE = /^files\/att_[0-9a-hjkmnp-tv-z]{26}$/

/** Reads pieces of a file. */
const readerAt =
  (file: FileHandle): ReadAt =>
  async (at, length) => {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at)
    return buffer.subarray(0, bytesRead)
  }

async function* bytesIn(
  file: FileHandle,
  { start, size }: Pick<Entry, 'start' | 'size'>,
): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size))
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(CHUNK, size - at), start + at)
    if (bytesRead === 0) throw damaged('The archive became shorter while it was read.')
    at += bytesRead
    yield chunk.subarray(0, bytesRead)
  }
}

const read = readerOf(Manifest)

function manifestIn(text: string): Manifest {
  const given = parsed(text)
  const format = Object(given).format as unknown
  if (typeof format === 'number' && format > FORMAT) {
    const why = `This archive is of format ${format}, and this Docket reads ${FORMAT}`
    throw conflict(
      'archive_newer',
      `${why}: import it with the Docket that made it, or a newer one.`,
    )
  }
  const { faults } = read(given)
  const [fault] = faults
  if (fault) throw damaged(`${MANIFEST}: ${fault.message}`)
  const manifest = fromJson(text as Json<Manifest>)
  const named = manifest.parts.map(({ part }) => part)
  const wanted = PARTS.filter((part) => named.includes(part) || !LATER.has(part))
  if (named.join() !== wanted.join()) {
    throw damaged(`${MANIFEST}: parts must name ${PARTS.join(', ')}.`)
  }
  return manifest
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw damaged(`${MANIFEST} is no JSON.`)
  }
}

/** The longest line, in bytes: three times what the largest record takes. */
const LONGEST = 8 * 1024 * 1024

/** A line of a part with its number, from 1 on. */
export interface Numbered {
  number: number
  text: string
}

/**
 * The lines of a part, some at a time; holds what it has read against the manifest when all are given.
 * Throws 409 `archive_damaged` at a line that is too long or no UTF-8.
 */
export async function* linesIn(archive: Opened, part: Part): AsyncGenerator<Numbered[]> {
  const name = nameOfPart(part)
  const said = archive.manifest.parts.find((one) => one.part === part)
  const sum = createHash('sha256')
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest: Buffer[] = []
  let waiting = 0
  let number = 0
  const decode = (bytes: Buffer): Numbered => {
    number += 1
    try {
      return { number, text: decoder.decode(bytes) }
    } catch {
      throw damaged(`${name} line ${number} is not UTF-8.`)
    }
  }
  for await (const chunk of archive.bytesOf(archive.entryOf(part))) {
    sum.update(chunk)
    const lines: Numbered[] = []
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      const end = chunk.subarray(from, at)
      lines.push(decode(waiting > 0 ? Buffer.concat([...rest, end]) : end))
      rest = []
      waiting = 0
      from = at + 1
    }
    rest.push(Buffer.from(chunk.subarray(from)))
    waiting += chunk.length - from
    if (waiting > LONGEST)
      throw damaged(`${name} line ${number + 1} is longer than ${LONGEST} bytes.`)
    if (lines.length > 0) yield lines
  }
  if (waiting > 0) throw damaged(`${name} does not end with a line feed: it is cut.`)
  if (sum.digest('hex') !== said?.sha256) throw damaged(`${name} is not as it was written.`)
  if (number !== said.lines) throw damaged(`${name} has ${number} lines, and not ${said.lines}.`)
}
