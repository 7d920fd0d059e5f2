import { join } from 'node:path'
import { damaged } from './damaged.ts'
import { copyHashed, type Hashed, openHashed, readHashed } from './hashed.ts'
import { linesIn } from './lines.ts'
import { MANIFEST, type Manifest } from './manifest.ts'

/** The list of all files of a backup, as `sha256sum --check` reads it. */
const SUMS = 'SHA256SUMS'
const LINE = /^([0-9a-f]{64}) {2}(.+)$/
/** What a backup may hold: no path leads out of the place where it is put. */
const OURS =
  /^(manifest\.json|docket\.db|secret|tables\/[a-z_]+\.jsonl|files\/wsp_[0-9a-z]{26}\/att_[0-9a-z]{26})$/

/** Begins the list of a backup that is being made. */
export async function openSums(directory: string) {
  const list = await openHashed(join(directory, SUMS))
  return {
    lines: 0,
    async add(path: string, { sha256 }: Hashed): Promise<void> {
      await list.write(Buffer.from(`${sha256}  ${path}\n`))
      this.lines += 1
    },
    end: () => list.end(),
    abandon: () => list.abandon(),
  }
}

/** Where files go while they are looked at, if anywhere, and who hears of each. */
export interface Reading {
  /** Gives the place for the copy of a file; undefined: it is only read. */
  placeFor(path: string): string | undefined
  told(path: string): void
}

/** Reads every file of a backup and holds it against the list; refuses what differs or lacks. */
export async function readAll(
  directory: string,
  { files }: Manifest,
  { placeFor, told }: Reading,
): Promise<void> {
  let lines = 0
  for await (const line of linesIn(join(directory, SUMS))) {
    const [, sha256 = '', path = ''] = LINE.exec(line) ?? []
    if (!OURS.test(path)) throw damaged(`${SUMS} has a line that it should not have.`)
    told(path)
    const [from, to] = [join(directory, path), placeFor(path)]
    const found = await (to === undefined ? readHashed(from) : copyHashed(from, to)).catch(lost)
    if (found.sha256 !== sha256) throw damaged(`${path} is not as it was saved.`)
    lines += 1
  }
  // The manifest is the last of the list: without it, that is cut.
  if (lines !== files + 1) {
    throw damaged(`${SUMS} names ${lines} files, and not ${files + 1} with ${MANIFEST}.`)
  }
}

function lost(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
    throw damaged(`A file is missing: ${error.message}`)
  }
  throw error
}
