// Measured is what lies here now.
import './build-web.ts'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** Fails when the web app costs a browser more than its specification allows (7); kB of 1,000 bytes. */
const dist = join(import.meta.dirname, '../web/dist')
const place = join(dist, readFileSync(join(dist, 'current'), 'utf8'))
const manifest: Record<string, Chunk> = JSON.parse(
  readFileSync(join(place, '.vite/manifest.json'), 'utf8'),
)
const ENTRY = 'index.html'
const LIST = 'src/features/tasks/project-page.tsx'
const GERMAN = 'src/messages/de/index.ts'

interface Chunk {
  file: string
  imports?: string[]
  dynamicImports?: string[]
}

const entry = withImports(ENTRY)
const list = withImports(LIST).union(entry)
const screens = Object.keys(manifest).filter((name) => name.startsWith('src/features/'))
const routes = screens.map((name) => {
  const own = withImports(name).difference(entry).difference(named('assets/shared-*.js'))
  return { name, size: gzipped(own) }
})
routes.sort((a, b) => b.size - a.size)
const [dearest = { name: '', size: 0 }] = routes

/** What a reader of English can come to load: all but the dictionary. */
const inEnglish = named('assets/*.js').difference(withImports(GERMAN).difference(entry))

const figures: [what: string, size: number, most: number][] = [
  ['JavaScript for the first load of a list', gzipped(list), 170_000],
  [`JavaScript of one screen alone (${dearest.name})`, dearest.size, 45_000],
  ['JavaScript of the whole app in one language', gzipped(inEnglish), 400_000],
  ['German', gzipped(withImports(GERMAN).difference(entry)), 28_000],
  ['styles', gzipped(named('assets/*.css')), 22_000],
  ['fonts', total(named('assets/*.woff2'), (bytes) => bytes.length), 75_000],
  ['script before the first paint', total(new Set(['theme.js']), (bytes) => bytes.length), 400],
]
for (const [what, size, most] of figures) {
  const over = size > most
  console.log(`${over ? '✗' : '✓'} ${what}: ${size / 1000} kB of ${most / 1000}`)
  if (over) process.exitCode = 1
}

/** The files of a source and of all that it imports before it runs. */
function withImports(source: string, known = new Set<string>()): Set<string> {
  const chunk = manifest[source]
  if (!chunk) throw new Error(`The build knows no ${source}`)
  if (known.has(chunk.file)) return known
  known.add(chunk.file)
  for (const one of chunk.imports ?? []) withImports(one, known)
  return known
}

function gzipped(files: Set<string>): number {
  return total(files, (bytes) => gzipSync(bytes, { level: 9 }).length)
}

function total(files: Set<string>, sizeOf: (bytes: Buffer) => number): number {
  return [...files].reduce((sum, file) => sum + sizeOf(readFileSync(join(place, file))), 0)
}

function named(pattern: string): Set<string> {
  return new Set(globSync(pattern, { cwd: place }))
}
