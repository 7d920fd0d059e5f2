import { createHash, randomUUID } from 'node:crypto'
import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

const ROOT = join(import.meta.dirname, '..')
const ABANDONED_BUILD_MS = 600_000

interface StampedBuild {
  /** What it builds, for messages. */
  name: string
  /** The folder of all builds, from the root of the repository. */
  directory: string
  /** Patterns of the files that the build depends on. */
  sources: readonly string[]
  /** The file that shows that a build is there. */
  entry: string
  /** Builds into a folder of the same depth as the final one. */
  build(folder: string): Promise<void>
  /** How long builds before the previous one are still there, for servers that load files of them. */
  retentionMs?: number
}

/**
 * Builds something, unless its current sources are built already. A build is a folder named by the
 * hash of its sources, and the file `current` names the one to use. Both are renamed into place, so a
 * build can be killed, and several can run at the same time.
 */
export async function buildIfChanged(options: StampedBuild): Promise<void> {
  const directory = join(ROOT, options.directory)
  const stamp = stampOf(options.sources)
  const previous = readCurrentStamp(directory, options.entry)
  if (previous === stamp) return
  const notice = setTimeout(() => console.error(`docket: building the ${options.name} …`), 1_000)
  try {
    await buildInPlace(options, directory, stamp)
    setCurrentStamp(directory, stamp)
    deleteOldBuilds(directory, [stamp, previous], options.retentionMs ?? 0)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.error(`docket: the ${options.name} cannot be built:`, stripVTControlCharacters(reason))
    process.exitCode = 1
  }
  clearTimeout(notice)
}

async function buildInPlace(
  { build }: StampedBuild,
  directory: string,
  stamp: string,
): Promise<void> {
  const place = join(directory, `.building-${process.pid}-${randomUUID().slice(0, 8)}`)
  mkdirSync(place, { recursive: true })
  try {
    await build(place)
    moveTo(place, join(directory, stamp))
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

/** Another process may have built it meanwhile; equal sources give an equal build. */
function moveTo(place: string, target: string): void {
  try {
    renameSync(place, target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  }
}

function setCurrentStamp(directory: string, stamp: string): void {
  const pointer = join(directory, `.current-${process.pid}`)
  writeFileSync(pointer, stamp)
  renameSync(pointer, join(directory, 'current'))
}

/** Deletes old builds, except the previous one: a server that starts now may still read it. */
function deleteOldBuilds(
  directory: string,
  kept: readonly (string | undefined)[],
  retentionMs: number,
): void {
  for (const name of readdirSync(directory)) {
    if (name === 'current' || kept.includes(name)) continue
    const path = join(directory, name)
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    if (age < (name.startsWith('.') ? ABANDONED_BUILD_MS : retentionMs)) continue
    rmSync(path, { recursive: true, force: true })
  }
}

function readCurrentStamp(directory: string, entry: string): string | undefined {
  try {
    const name = readFileSync(join(directory, 'current'), 'utf8')
    return statSync(join(directory, name, entry)).isFile() ? name : undefined
  } catch {
    return undefined
  }
}

function stampOf(patterns: readonly string[]): string {
  const hash = createHash('sha256')
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
  for (const file of files.filter((name) => !name.endsWith('.test.ts')).sort()) {
    const path = join(ROOT, file)
    if (statSync(path).isFile()) hash.update(`${file}\0`).update(readFileSync(path)).update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}
