import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { conflict } from '#core/refusal.ts'
import type { Storage } from '#core/tx.ts'
import { keyOf } from '#files/files.ts'
import { type Clock, timestampOf } from '#lib/clock.ts'
import type { FileRow } from '#storage/sqlite-copy.ts'
import { copyHashed, flushNames, flushTree, openHashed } from './hashed.ts'
import { holdingFiles } from './hold.ts'
import { FILES, MANIFEST, type Manifest, SECRET, versionHere } from './manifest.ts'
import { attachmentsIn, copyRows } from './rows.ts'
import { openSums } from './sums.ts'

/** An installation, as far as a backup is concerned. */
export interface Place {
  dataDir: string
  databaseUrl: string | undefined
  /** Whether the files are in a bucket. */
  bucket: boolean
}

/** What is wanted of a backup. */
export interface Wanted {
  /** A name that nothing has, or a directory in which it gets one by the time. */
  to: string
  /** The secret, where it is to lie in the backup. */
  secret: string | undefined
  told(what: string): void
}

const MOST_EXAMPLES = 20

/**
 * Makes a backup beside a running server: rows as they are at one instant, then the files that they
 * name. It gets its name when it is whole and on the disk; what a kill leaves is called `….part-…`.
 */
export async function makeBackup(
  place: Place,
  storage: Storage,
  wanted: Wanted,
): Promise<Manifest & { backup: string }> {
  const backup = await nameFor(wanted.to, storage.clock)
  await mkdir(dirname(backup), { recursive: true })
  const draft = await mkdtemp(`${backup}.part-`)
  try {
    const work = () => fill(draft, place, storage.clock, wanted)
    const manifest = await (place.bucket ? work() : holdingFiles(storage, work))
    await flushTree(draft)
    await rename(draft, backup)
    await flushNames(dirname(backup))
    return { backup, ...manifest }
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

async function nameFor(to: string, clock: Clock): Promise<string> {
  const found = await stat(to).catch(() => undefined)
  if (!found) return join(dirname(to), basename(to))
  if (!found.isDirectory()) throw conflict('backup_exists', `${to} is a file; name another place.`)
  const time = timestampOf(clock.now()).replace(/\.\d+/, '').replaceAll(':', '-')
  return join(to, `docket-${time}`)
}

async function fill(
  directory: string,
  place: Place,
  clock: Clock,
  wanted: Wanted,
): Promise<Manifest> {
  const { dataDir, databaseUrl, bucket } = place
  const { secret, told } = wanted
  const sums = await openSums(directory)
  try {
    const made_at = timestampOf(clock.now())
    const copied = await copyRows({ dataDir, databaseUrl, directory, sums, told })
    const engine = databaseUrl === undefined ? 'sqlite' : 'postgres'
    const attachments: Manifest['attachments'] = {
      kept: bucket ? 'in the bucket' : 'here',
      ...{ files: 0, bytes: 0, missing: 0, examples: [] },
    }
    if (!bucket) {
      for await (const row of attachmentsIn(directory, engine)) {
        await copyFileOf(row)
        told(`${attachments.files} files`)
      }
    }
    if (secret !== undefined) await add(SECRET, `${secret}\n`)
    const manifest: Manifest = {
      ...{ format: 1, docket: versionHere(), made_at, engine, ...copied, attachments },
      secret: secret === undefined ? 'apart' : 'here',
      files: sums.lines,
    }
    await add(MANIFEST, `${JSON.stringify(manifest, undefined, 2)}\n`)
    await sums.end()
    return manifest

    async function copyFileOf({ workspace_id, id, size_bytes, sha256 }: FileRow): Promise<void> {
      const key = keyOf(workspace_id, id)
      const to = join(directory, FILES, key)
      const copy = await copyHashed(join(dataDir, FILES, key), to).catch(absent)
      if (copy?.sha256 === sha256 && copy.size === size_bytes) {
        await sums.add(`${FILES}/${key}`, copy)
        attachments.files += 1
        attachments.bytes += copy.size
      } else {
        await rm(to, { force: true })
        attachments.missing += 1
        if (attachments.examples.length < MOST_EXAMPLES) attachments.examples.push(key)
      }
    }
  } catch (error) {
    await sums.abandon()
    throw error
  }

  async function add(path: string, text: string): Promise<void> {
    const file = await openHashed(join(directory, path))
    await file.write(Buffer.from(text))
    await sums.add(path, await file.end())
  }
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
  throw error
}
