// Builds the current sources first.
import './build-web.ts'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** Fails if the web app exceeds the sizes that its specification allows; 1 kB is 1,000 bytes. */
const dist = join(import.meta.dirname, '../web/dist')
const place = join(dist, readFileSync(join(dist, 'current'), 'utf8'))
const manifest: Record<string, ManifestChunk> = JSON.parse(
  readFileSync(join(place, 'files.json'), 'utf8'),
)
const ENTRY = 'index.html'
const LIST = 'src/features/project-view/project-page.tsx'
const GERMAN = 'src/messages/de/index.ts'
/** German that loads with the parts it is for. */
const RARE_GERMAN = 'src/messages/de/rare.ts'

interface ManifestChunk {
  file: string
  imports?: string[]
  dynamicImports?: string[]
}

const entry = withImports(ENTRY)
const list = withImports(LIST).union(entry)
const screens = Object.keys(manifest).filter((name) => name.startsWith('src/features/'))
const routes = screens.map((name) => {
  // What belongs to a project is opened from its list.
  const isOfProject = name !== LIST && name.startsWith('src/features/project-view/')
  const opened = isOfProject ? list : entry
  const own = withImports(name).difference(opened).difference(filesMatching('assets/shared-*.js'))
  return { name, size: gzipped(own) }
})
routes.sort((a, b) => b.size - a.size)
const [dearest = { name: '', size: 0 }] = routes

/** All scripts that a reader of English can load: everything except the German messages. */
const inEnglish = filesMatching('assets/*.js').difference(
  withImports(GERMAN).union(withImports(RARE_GERMAN)).difference(entry),
)

const budgets: [what: string, size: number, max: number][] = [
  ['JavaScript for the first load of a list', gzipped(list), 185_000],
  [`JavaScript of one screen alone (${dearest.name})`, dearest.size, 64_000],
  // 71 kB of it parse and convert HTML, and load when somebody pastes a formatted text.
  ['JavaScript of the whole app in one language', gzipped(inEnglish), 690_000],
  ['German', gzipped(withImports(GERMAN).difference(entry)), 32_000],
  ['styles', gzipped(filesMatching('assets/*.css')), 24_500],
  ['fonts', total(filesMatching('assets/*.woff2'), (bytes) => bytes.length), 75_000],
  [
    'script before the first paint',
    total(filesMatching('assets/theme-*.js'), (bytes) => bytes.length),
    400,
  ],
]
for (const [what, size, max] of budgets) {
  const over = size > max
  console.log(`${over ? '✗' : '✓'} ${what}: ${size / 1000} kB of ${max / 1000}`)
  if (over) process.exitCode = 1
}

/** The files of a source module and of its static imports. */
function withImports(source: string, files = new Set<string>()): Set<string> {
  const chunk = manifest[source]
  if (!chunk) throw new Error(`The build knows no ${source}`)
  if (files.has(chunk.file)) return files
  files.add(chunk.file)
  for (const one of chunk.imports ?? []) withImports(one, files)
  return files
}

function gzipped(files: Set<string>): number {
  return total(files, (bytes) => gzipSync(bytes, { level: 9 }).length)
}

function total(files: Set<string>, sizeOf: (bytes: Buffer) => number): number {
  return [...files].reduce((sum, file) => sum + sizeOf(readFileSync(join(place, file))), 0)
}

function filesMatching(pattern: string): Set<string> {
  return new Set(globSync(pattern, { cwd: place }))
}
