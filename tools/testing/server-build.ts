import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { ROOT } from './files.ts'

const DIRECTORY = join(ROOT, 'node_modules/.cache/test-server')

/**
 * Packs the server and what it imports into a few files and gives the path of the first: it starts with half the
 * processor time that its 1,800 modules take, and the tests start it hundreds of times.
 */
export async function buildServer(): Promise<string> {
  const bundle = await rolldown({
    input: join(ROOT, 'src/main.ts'),
    platform: 'node',
    plugins: [inPlace],
    onLog: () => {},
  })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  mkdirSync(DIRECTORY, { recursive: true })
  // Another run may use the same files: what is equal stays, and the first file comes last, when all others are there.
  for (const file of output.toReversed()) {
    replace(join(DIRECTORY, file.fileName), file.type === 'chunk' ? file.code : file.source)
  }
  return join(DIRECTORY, output[0].fileName)
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

function replace(path: string, content: string | Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(content))) return
  const next = `${path}.${process.pid}`
  writeFileSync(next, content)
  renameSync(next, path)
}
