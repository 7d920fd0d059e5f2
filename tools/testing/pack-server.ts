import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type OutputAsset, type OutputChunk, type Plugin, rolldown } from 'rolldown'
import { REPOSITORY_ROOT } from './test-files.ts'

const OUTPUT_DIR = join(REPOSITORY_ROOT, 'node_modules/.cache/test-server')
const DAY_MS = 86_400_000

/**
 * Bundles the server, the command line and the programs that tests start in their place into a few
 * files. They start in half the CPU time that their 1,800 modules take, and the tests start them
 * hundreds of times. The server, which they start most, has a bundle of its own: one that shares
 * modules with the others is in twice as many files, which takes a tenth longer to start.
 */
export async function packServer(): Promise<{ server: string; cli: string }> {
  const output = [
    ...(await bundleEntries({ server: join(REPOSITORY_ROOT, 'src/main.ts') })),
    ...(await bundleEntries({
      cli: join(REPOSITORY_ROOT, 'src/cli/main.ts'),
      ...Object.fromEntries(listTestPrograms().map((path) => [basename(path, '.ts'), path])),
    })),
  ]
  mkdirSync(OUTPUT_DIR, { recursive: true })
  // Without it, Node parses each file twice, to find out that it is a module.
  replaceIfChanged(join(OUTPUT_DIR, 'package.json'), '{ "type": "module" }\n')
  // Another run may use the same files: unchanged ones stay, and entry files are written last.
  for (const file of output.toReversed()) {
    replaceIfChanged(
      join(OUTPUT_DIR, file.fileName),
      file.type === 'chunk' ? file.code : file.source,
    )
  }
  const names = new Set(['package.json', ...output.map(({ fileName }) => fileName)])
  for (const name of readdirSync(OUTPUT_DIR))
    if (!names.has(name)) removeOld(join(OUTPUT_DIR, name))
  return { server: join(OUTPUT_DIR, 'server.js'), cli: join(OUTPUT_DIR, 'cli.js') }
}

async function bundleEntries(
  input: Record<string, string>,
): Promise<(OutputChunk | OutputAsset)[]> {
  const bundle = await rolldown({
    input,
    platform: 'node',
    plugins: [keepSourceLocation],
    onLog: () => {},
  })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  if (!isOverloadReplaced)
    throw new Error('No overload.ts is left that servers under test could replace')
  return output
}

/** Servers with a fault and other programs of tests. Those that replace modules need the sources. */
const listTestPrograms = (): string[] =>
  globSync('test/support/{controls,server-variants,server/programs}/*.ts', { cwd: REPOSITORY_ROOT })
    .map((path) => join(REPOSITORY_ROOT, path))
    .filter((path) => !readFileSync(path, 'utf8').includes('registerHooks'))

/** Replaces load shedding: on a machine busy with tests the server would reject requests. */
const NO_OVERLOAD = join(REPOSITORY_ROOT, 'test/support/server-variants/overload-stub.ts')

let isOverloadReplaced = false

/** Makes a bundled module find the files beside its source. */
const keepSourceLocation: Plugin = {
  name: 'in place',
  resolveId: {
    filter: { id: /\/overload\.ts$/ },
    handler: () => {
      isOverloadReplaced = true
      return NO_OVERLOAD
    },
  },
  transform: {
    filter: { code: /import\.meta\.(dirname|url)|__dirname/ },
    handler: (code, path) =>
      code
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll(/(?<![\w.])__dirname\b/g, JSON.stringify(dirname(path))),
  },
}

/** Deletes only old files: a server that is still running may load chunks of an older bundle. */
function removeOld(path: string): void {
  if (Date.now() - statSync(path).mtimeMs > DAY_MS) rmSync(path, { force: true })
}

function replaceIfChanged(path: string, content: string | Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(content))) return
  const next = `${path}.${process.pid}`
  writeFileSync(next, content)
  renameSync(next, path)
}
