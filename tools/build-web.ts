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
 * Builds the web app where it is not built from what lies here. A build is a folder named by the hash of
 * its sources, `web/dist/<stamp>`, and `web/dist/current` names the one that is served: both appear whole
 * or not at all, so a build may be killed, and several may run at once. Without need nothing is written.
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
/** Smaller files travel in one packet anyway; fonts are compressed already. */
const PACKED_FROM = 1_024
const PACKED = /\.(js|css|svg|json|txt)$/
const ABANDONED_MS = 600_000

const stamp = stampOf(SOURCES)
if (current() !== stamp) {
  const saying = setTimeout(() => console.error('docket: building the web app …'), 1_000)
  try {
    await built()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.error('docket: the web app cannot be built:', stripVTControlCharacters(reason))
    process.exitCode = 1
  }
  clearTimeout(saying)
}

async function built(): Promise<void> {
  const place = join(dist, `.building-${process.pid}-${randomUUID().slice(0, 8)}`)
  mkdirSync(place, { recursive: true })
  try {
    const { build } = await import('vite')
    const configFile = join(root, 'web/vite.config.ts')
    await build({ configFile, logLevel: 'warn', build: { outDir: place, emptyOutDir: true } })
    pack(place)
    moveTo(place, join(dist, stamp))
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
  const before = current()
  const pointer = join(dist, `.current-${process.pid}`)
  writeFileSync(pointer, stamp)
  renameSync(pointer, join(dist, 'current'))
  sweep([stamp, before])
}

/** Another start may have been first; the same sources give the same build. */
function moveTo(place: string, target: string): void {
  try {
    renameSync(place, target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  }
}

/** Compressed once, as well as can be, instead of for each reader. */
function pack(place: string): void {
  for (const file of globSync('**/*', { cwd: place })) {
    const path = join(place, file)
    if (!PACKED.test(file) || statSync(path).size < PACKED_FROM) continue
    const bytes = readFileSync(path)
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    }
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  }
}

/** A server that starts meanwhile may still read the build before this one. */
function sweep(kept: (string | undefined)[]): void {
  for (const name of readdirSync(dist)) {
    if (name === 'current' || kept.includes(name)) continue
    const path = join(dist, name)
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    if (name.startsWith('.') && age < ABANDONED_MS) continue
    rmSync(path, { recursive: true, force: true })
  }
}

function current(): string | undefined {
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
