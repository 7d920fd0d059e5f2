import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { ROOT } from './files.ts'

const DIRECTORY = join(ROOT, 'node_modules/.cache/test-server')
const DAY_MS = 86_400_000

/**
 * Packs the server and the command, with what they import, into a few files: they start with half the processor time
 * that their 1,800 modules take, and the tests start them hundreds of times.
 */
export async function pack(): Promise<{ server: string; cli: string }> {
  const bundle = await rolldown({
    input: { server: join(ROOT, 'src/main.ts'), cli: join(ROOT, 'src/cli/main.ts') },
    platform: 'node',
    plugins: [inPlace],
    onLog: () => {},
  })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  mkdirSync(DIRECTORY, { recursive: true })
  // Another run may use the same files: what is equal stays, and the first files come last, when all others are there.
  for (const file of output.toReversed()) {
    replace(join(DIRECTORY, file.fileName), file.type === 'chunk' ? file.code : file.source)
  }
  const names = new Set(output.map(({ fileName }) => fileName))
  for (const name of readdirSync(DIRECTORY)) if (!names.has(name)) removeOld(join(DIRECTORY, name))
  return { server: join(DIRECTORY, 'server.js'), cli: join(DIRECTORY, 'cli.js') }
}

/** A machine that runs tests is busy with other work; a server that measures how late it runs would refuse requests. */
const NO_OVERLOAD = join(ROOT, 'test/support/no-overload.ts')

/** Lets a module find files beside its source although its code is elsewhere. */
const inPlace: Plugin = {
  name: 'in place',
  resolveId: { filter: { id: /\/overload\.ts$/ }, handler: () => NO_OVERLOAD },
  transform: {
    filter: { code: /import\.meta\.(dirname|url)|__dirname/ },
    handler: (code, path) =>
      code
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll(/(?<![\w.])__dirname\b/g, JSON.stringify(dirname(path))),
  },
}

/** A server that still runs may have yet to load what another one no longer has. */
function removeOld(path: string): void {
  if (Date.now() - statSync(path).mtimeMs > DAY_MS) rmSync(path, { force: true })
}

function replace(path: string, content: string | Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(content))) return
  const next = `${path}.${process.pid}`
  writeFileSync(next, content)
  renameSync(next, path)
}
