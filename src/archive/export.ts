import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { flushNames, type Hashed, openHashed, readHashed } from '#backup/hashed.ts'
import { holdingFiles } from '#backup/hold.ts'
import { linesIn } from '#backup/lines.ts'
import { versionHere } from '#backup/manifest.ts'
import { NOBODY } from '#core/actor.ts'
import { conflict, notFound, Refusal } from '#core/refusal.ts'
import type { ReadTx, Storage } from '#core/tx.ts'
import { isMissing } from '#files/disk.ts'
import { type Files, keyOf } from '#files/files.ts'
import { timestampOf } from '#lib/clock.ts'
import { fromJson, type Json } from '#lib/json.ts'
import { importOf } from '#storage/imports.ts'
import { MIGRATIONS } from '#storage/migrations.ts'
import { type Lines, PARTS, type Part, textOf } from './lines.ts'
import { FORMAT, MANIFEST, type Manifest, nameOfFile, nameOfPart } from './manifest.ts'
import { linesFrom, workspaceLine } from './rows.ts'
import { END, headOf, paddingOf } from './tar.ts'

/** What is to be exported, and where to. */
export interface ExportWanted {
  workspace_id: string
  /** A name that nothing has yet. */
  to: string
  told(what: string): void
}

/** An archive that was made; the hash is that of the whole file. */
export interface Exported extends Hashed {
  archive: string
  manifest: Manifest
  /** Ids of some attachments whose bytes could not be read any more. */
  lost_examples: string[]
}

const MOST_EXAMPLES = 20

/**
 * Writes a workspace to a file, beside a running server: its rows as they are at one instant, then the
 * files that they name. It gets its name when it is whole and on the disk; what a kill leaves is called
 * `….part-…`. 404 where there is no such workspace; 409 `archive_exists`.
 */
export async function exportWorkspace(
  storage: Storage,
  files: Files,
  { workspace_id, to, told }: ExportWanted,
): Promise<Exported> {
  if (await stat(to).catch(() => undefined)) {
    throw conflict('archive_exists', `${to} is there already: name another file.`)
  }
  await mkdir(dirname(to), { recursive: true })
  const draft = await mkdtemp(`${to}.part-`)
  try {
    const made = await holdingFiles(storage, () => fill(draft, storage, files, workspace_id, told))
    await storage.write({ ...NOBODY, workspace_id }, async (tx) =>
      tx.audit('workspace.exported', workspace_id, {}),
    )
    await rename(join(draft, ARCHIVE), to)
    await flushNames(dirname(to))
    return { archive: to, ...made }
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Names within the draft. */
const [ARCHIVE, STAGED] = ['archive', 'staged']
const ROWS = 'attachments'

async function fill(
  draft: string,
  storage: Storage,
  files: Files,
  workspace_id: string,
  told: (what: string) => void,
) {
  const tar = await openHashed(join(draft, ARCHIVE))
  try {
    const made_at = timestampOf(storage.clock.now())
    const parts: Manifest['parts'] = []
    const finish = async (path: string, part: Part, lines: number) => {
      parts.push({ part, lines, ...(await append(tar, nameOfPart(part), path)) })
      told(`${part}, ${lines} lines`)
    }
    const workspace = await storage.snapshot({ ...NOBODY, workspace_id }, async (tx) => {
      const found = await exportable(tx)
      for (const part of PARTS) {
        const path = join(draft, part)
        const lines = await spool(path, linesOf(tx, part, found))
        // Their files come first, when this state of the database needs to be held no longer.
        if (part !== ROWS) await finish(path, part, lines)
      }
      return found
    })
    const rows = join(draft, ROWS)
    const kept = await addFiles({ tar, draft, rows, files, workspace_id, told })
    await finish(`${rows}.known`, ROWS, kept.lines)
    const { id, name } = workspace
    const manifest: Manifest = {
      ...{ format: FORMAT, docket: versionHere(), schema: MIGRATIONS.length, made_at },
      ...{ workspace: { id, name }, parts, files: kept.files },
    }
    const text = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)
    await tar.write(headOf(MANIFEST, text.length))
    await tar.write(text)
    await tar.write(paddingOf(text.length))
    await tar.write(END)
    return { ...(await tar.end()), manifest, lost_examples: kept.examples }
  } catch (error) {
    await tar.abandon()
    throw error
  }
}

/** 404 where there is no such workspace, or not yet. */
async function exportable(tx: ReadTx): Promise<Lines['workspace']> {
  const found = await tx.one(workspaceLine, {})
  if (!found || (await tx.one(importOf, {}))) throw notFound()
  return found
}

async function* linesOf(
  tx: ReadTx,
  part: Part,
  workspace: Lines['workspace'],
): AsyncGenerator<string[]> {
  if (part === 'workspace') yield [textOf(part, workspace)]
  else {
    for await (const lines of linesFrom(tx, part, workspace.log_from_sequence)) {
      yield lines.map((line) => textOf(part, line))
    }
  }
}

/** Writes lines to a file of their own: in a tar the size of a file stands before it. */
async function spool(path: string, batches: AsyncIterable<string[]>): Promise<number> {
  const file = await openHashed(path)
  let lines = 0
  try {
    for await (const batch of batches) {
      lines += batch.length
      await file.write(Buffer.from(batch.map((line) => `${line}\n`).join('')))
    }
    await file.end()
    return lines
  } catch (error) {
    await file.abandon()
    throw error
  }
}

type Tar = Awaited<ReturnType<typeof openHashed>>

/** Moves a file of the draft into the archive. */
async function append(tar: Tar, name: string, path: string) {
  const { size } = await stat(path)
  await tar.write(headOf(name, size))
  const { sha256 } = await readHashed(path, tar.write)
  await tar.write(paddingOf(size))
  await rm(path)
  return { bytes: size, sha256 }
}

interface Adding {
  tar: Tar
  draft: string
  /** The lines of the attachments, in which it is not said yet whose bytes are here. */
  rows: string
  files: Files
  workspace_id: string
  told(what: string): void
}

/** Puts the files of attachments into the archive, each if it is as its row says, and says so of each. */
async function addFiles({ tar, draft, rows, files, workspace_id, told }: Adding) {
  const known: Manifest['files'] = { count: 0, bytes: 0, lost: 0 }
  const examples: string[] = []
  const staged = join(draft, STAGED)
  const lines = await spool(`${rows}.known`, withFiles())
  return { lines, files: known, examples }

  async function* withFiles(): AsyncGenerator<string[]> {
    for await (const text of linesIn(rows)) {
      const row = fromJson(text as Json<Lines['attachments']>)
      const isHere = await stage(row)
      if (isHere) {
        await append(tar, nameOfFile(row.id), staged)
        known.count += 1
        known.bytes += row.size_bytes
        told(`${known.count} files`)
      } else {
        known.lost += 1
        if (examples.length < MOST_EXAMPLES) examples.push(row.id)
      }
      yield [textOf(ROWS, { ...row, file: isHere ? 'here' : 'lost' })]
    }
  }

  /** Copies the bytes of an attachment; tells whether they are those that were attached. */
  async function stage({ id, size_bytes, sha256 }: Lines['attachments']): Promise<boolean> {
    await rm(staged, { force: true })
    const copy = await openHashed(staged)
    try {
      const range = { start: 0, end: size_bytes - 1 }
      const stream = await files.read(keyOf(workspace_id, id), size_bytes, range)
      for await (const chunk of stream) await copy.write(chunk as Buffer)
      const found = await copy.end()
      return found.sha256 === sha256 && found.size === size_bytes
    } catch (error) {
      await copy.abandon()
      if (error instanceof Refusal && isMissing(error.cause)) return false
      throw error
    }
  }
}
