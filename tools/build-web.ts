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
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/**
 * Builds the web app, unless the current sources are built already. A build is a folder named by
 * the hash of its sources, `web/dist/<stamp>`, and `web/dist/current` names the one to serve. Both
 * are renamed into place, so a build can be killed, and several can run at the same time.
 */
const root = join(import.meta.dirname, '..')
const dist = join(root, 'web/dist')
const SOURCES = [
  'web/*.{html,ts,json}',
  'web/{src,public,fonts}/**/*',
  'src/{wire,lib}/**/*.ts',
  'src/**/{contract,internal}.ts',
  'package-lock.json',
  'tools/build-web.ts',
]
/** Smaller files fit into one packet anyway; fonts are compressed already. */
const MIN_COMPRESSED_BYTES = 1_024
const COMPRESSED = /\.(js|css|svg|json|txt)$/
const ABANDONED_BUILD_MS = 600_000

const stamp = stampOf(SOURCES)
if (readCurrentStamp() !== stamp) {
  const notice = setTimeout(() => console.error('docket: building the web app …'), 1_000)
  try {
    await buildApp()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.error('docket: the web app cannot be built:', stripVTControlCharacters(reason))
    process.exitCode = 1
  }
  clearTimeout(notice)
}

async function buildApp(): Promise<void> {
  const place = join(dist, `.building-${process.pid}-${randomUUID().slice(0, 8)}`)
  mkdirSync(place, { recursive: true })
  try {
    const { build } = await import('vite')
    const configFile = join(root, 'web/vite.config.ts')
    await build({ configFile, logLevel: 'warn', build: { outDir: place, emptyOutDir: true } })
    compressFiles(place)
    moveTo(place, join(dist, stamp))
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
  const before = readCurrentStamp()
  const pointer = join(dist, `.current-${process.pid}`)
  writeFileSync(pointer, stamp)
  renameSync(pointer, join(dist, 'current'))
  deleteOldBuilds([stamp, before])
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

/** Compresses files once, at the best level, instead of on each request. */
function compressFiles(place: string): void {
  for (const file of globSync('**/*', { cwd: place })) {
    const path = join(place, file)
    if (!COMPRESSED.test(file) || statSync(path).size < MIN_COMPRESSED_BYTES) continue
    const bytes = readFileSync(path)
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    }
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  }
}

/** Deletes old builds, except the previous one: a server that starts now may still read it. */
function deleteOldBuilds(kept: (string | undefined)[]): void {
  for (const name of readdirSync(dist)) {
    if (name === 'current' || kept.includes(name)) continue
    const path = join(dist, name)
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    if (name.startsWith('.') && age < ABANDONED_BUILD_MS) continue
    rmSync(path, { recursive: true, force: true })
  }
}

function readCurrentStamp(): string | undefined {
  try {
    const name = readFileSync(join(dist, 'current'), 'utf8')
    return statSync(join(dist, name, 'index.html')).isFile() ? name : undefined
  } catch {
    return undefined
  }
}

function stampOf(patterns: string[]): string {
  const hash = createHash('sha256')
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }))
  for (const file of files.filter((name) => !name.endsWith('.test.ts')).sort()) {
    const path = join(root, file)
    if (statSync(path).isFile()) hash.update(`${file}\0`).update(readFileSync(path)).update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}
