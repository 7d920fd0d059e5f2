import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { type ApiError, conflict } from '#core/api-error.ts'
import { fromJson, type Json } from '#lib/json.ts'
import { createSchemaParser } from '#wire/schema-parser.ts'
import {
  ARCHIVE_FORMAT,
  ARCHIVE_MANIFEST_FILENAME,
  ArchiveManifest,
  attachmentFilename,
  MAX_ARCHIVE_LINE_BYTES,
  partFilename,
} from '../format/archive-manifest.ts'
import { ARCHIVE_PARTS, type ArchivePart } from '../format/line-schemas.ts'
import { InvalidTarError, type ReadAt, readTarEntries, type TarEntry } from '../format/tar.ts'

/** The error for a file that is damaged or is no archive. */
export const archiveDamaged = (what: string): ApiError =>
  conflict('archive_damaged', `${what} Nothing was imported.`)

/** Random access to an archive whose manifest and tar headers were read. */
export interface ArchiveReader {
  manifest: ArchiveManifest
  partEntry(part: ArchivePart): TarEntry
  /** The position of the bytes of an attachment. */
  attachmentEntry(id: string): TarEntry | undefined
  /** The number of attachment files. */
  attachmentCount: number
  /** Streams the bytes of a file. Each chunk is overwritten when the next one is read. */
  readBytes(entry: TarEntry): AsyncGenerator<Buffer>
  close(): Promise<void>
}

const CHUNK_BYTES = 64 * 1024
const MAX_MANIFEST_BYTES = 1024 * 1024

/** Opens an archive and reads its manifest. Throws 409 `archive_damaged` or `archive_newer`. */
export async function openArchive(path: string): Promise<ArchiveReader> {
  const file = await open(path, 'r').catch((error: Error) => {
    throw conflict('archive_missing', `${path} cannot be opened: ${error.message}`)
  })
  try {
    return await readContents(file)
  } catch (error) {
    await file.close()
    if (error instanceof InvalidTarError)
      throw archiveDamaged(`This file is not a Docket archive: ${error.message}.`)
    throw error
  }
}

async function readContents(file: FileHandle): Promise<ArchiveReader> {
  const stats = await file.stat()
  if (!stats.isFile()) throw new InvalidTarError('it is not a regular file')
  const parts = new Map<string, TarEntry>()
  const attachments = new Map<string, TarEntry>()
  let last = ''
  for await (const entry of readTarEntries(createReadAt(file), stats.size)) {
    last = entry.name
    if (PART_FILENAMES.has(last)) {
      if (parts.has(last)) throw new InvalidTarError(`${last} occurs twice`)
      parts.set(last, entry)
    } else {
      if (!ATTACHMENT_FILENAME.test(last))
        throw new InvalidTarError(`it contains an unexpected file ${last}`)
      if (attachments.has(last)) throw new InvalidTarError(`${last} occurs twice`)
      attachments.set(last, entry)
    }
  }
  const manifestEntry = parts.get(ARCHIVE_MANIFEST_FILENAME)
  if (!manifestEntry || last !== ARCHIVE_MANIFEST_FILENAME)
    throw new InvalidTarError(`it does not end with ${ARCHIVE_MANIFEST_FILENAME}`)
  if (manifestEntry.size > MAX_MANIFEST_BYTES)
    throw new InvalidTarError(`${ARCHIVE_MANIFEST_FILENAME} is too large`)
  const bytes = Buffer.concat(
    await Array.fromAsync(readRange(file, manifestEntry), (chunk) => Buffer.from(chunk)),
  )
  const manifest = parseManifest(bytes.toString())
  return {
    manifest,
    partEntry(part) {
      const entry = parts.get(partFilename(part))
      if (!entry) throw archiveDamaged(`${partFilename(part)} is missing.`)
      return entry
    },
    attachmentEntry: (id) => attachments.get(attachmentFilename(id)),
    attachmentCount: attachments.size,
    readBytes: (entry) => readRange(file, entry),
    close: () => file.close(),
  }
}

const PART_FILENAMES: ReadonlySet<string> = new Set([
  ARCHIVE_MANIFEST_FILENAME,
  ...ARCHIVE_PARTS.map(partFilename),
])
const ATTACHMENT_FILENAME = /^files\/att_[0-9a-hjkmnp-tv-z]{26}$/

/** Reads bytes at a position of a file. */
const createReadAt =
  (file: FileHandle): ReadAt =>
  async (at, length) => {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at)
    return buffer.subarray(0, bytesRead)
  }

async function* readRange(file: FileHandle, { start, size }: TarEntry): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size))
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(CHUNK_BYTES, size - at), start + at)
    if (bytesRead === 0) throw archiveDamaged('The archive was truncated while it was read.')
    at += bytesRead
    yield chunk.subarray(0, bytesRead)
  }
}

const readManifest = createSchemaParser(ArchiveManifest)

function parseManifest(text: string): ArchiveManifest {
  const json = parseJson(text)
  const format = Object(json).format as unknown
  if (typeof format === 'number' && format > ARCHIVE_FORMAT) {
    const why = `This archive has format ${format}, and this release reads format ${ARCHIVE_FORMAT}`
    throw conflict(
      'archive_newer',
      `${why}: import it with the release that wrote it, or a newer one.`,
    )
  }
  const { errors } = readManifest(json)
  const [fault] = errors
  if (fault) throw archiveDamaged(`${ARCHIVE_MANIFEST_FILENAME}: ${fault.message}`)
  const manifest = fromJson(text as Json<ArchiveManifest>)
  const parts = ARCHIVE_PARTS.filter((part) => manifest.format > 1 || part !== 'audit')
  if (manifest.parts.map(({ part }) => part).join() !== parts.join()) {
    throw archiveDamaged(`${ARCHIVE_MANIFEST_FILENAME}: \`parts\` must list ${parts.join(', ')}.`)
  }
  return manifest
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw archiveDamaged(`${ARCHIVE_MANIFEST_FILENAME} is not valid JSON.`)
  }
}

/** A line of a part with its number, which counts from 1. */
interface NumberedLine {
  number: number
  text: string
}

/**
 * Streams the lines of a part in batches, and compares their hash and number with the manifest at
 * the end. Throws 409 `archive_damaged` for a mismatch and for lines that are too long or not
 * UTF-8.
 */
export async function* readArchiveLines(
  archive: ArchiveReader,
  part: ArchivePart,
): AsyncGenerator<NumberedLine[]> {
  const name = partFilename(part)
  const expected = archive.manifest.parts.find((one) => one.part === part)
  const hash = createHash('sha256')
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest: Buffer[] = []
  let restBytes = 0
  let number = 0
  const decode = (bytes: Buffer): NumberedLine => {
    number += 1
    try {
      return { number, text: decoder.decode(bytes) }
    } catch {
      throw archiveDamaged(`${name} line ${number} is not UTF-8.`)
    }
  }
  for await (const chunk of archive.readBytes(archive.partEntry(part))) {
    hash.update(chunk)
    const lines: NumberedLine[] = []
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      const end = chunk.subarray(from, at)
      lines.push(decode(restBytes > 0 ? Buffer.concat([...rest, end]) : end))
      rest = []
      restBytes = 0
      from = at + 1
    }
    rest.push(Buffer.from(chunk.subarray(from)))
    restBytes += chunk.length - from
    if (restBytes > MAX_ARCHIVE_LINE_BYTES)
      throw archiveDamaged(
        `${name} line ${number + 1} is longer than ${MAX_ARCHIVE_LINE_BYTES} bytes.`,
      )
    if (lines.length > 0) yield lines
  }
  if (restBytes > 0) throw archiveDamaged(`${name} is cut: it does not end with a line feed.`)
  if (hash.digest('hex') !== expected?.sha256)
    throw archiveDamaged(`${name} does not match its checksum.`)
  if (number !== expected.lines)
    throw archiveDamaged(`${name} has ${number} lines instead of ${expected.lines}.`)
}
