import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { type OutputChunk, type Plugin, rolldown } from 'rolldown'

/** How a module names another one that it starts as a thread or a process, so each of them needs a file of its own. */
const STARTED_MODULE = /new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g

/**
 * Bundles the server and the command line with the packages in these directories, and returns the
 * code of each file by its path, which is in `folder`. Nothing is minified: a stack trace names functions,
 * and a person can read what runs. The server has files of its own: if it shared modules with the command
 * line, it would load more than twice as many, which takes a tenth longer and holds up the first requests.
 *
 * Some packages try to load others that only development has installed. They are left out, so that
 * every installation of the lockfile gives the same bundle.
 */
export async function bundleServer(
  root: string,
  packages: ReadonlySet<string>,
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const plugins = [leaveOutOtherPackages(root, packages), locateFromBundle(root, folder)]
  const chunks = [
    ...(await bundleEntries(root, plugins, { server: 'src/main.ts' })),
    ...(await bundleEntries(root, plugins, {
      docket: 'src/cli/main.ts',
      ...Object.fromEntries(listStartedModules(root).map((file) => [basename(file, '.ts'), file])),
    })),
  ]
  return new Map(chunks.map(({ fileName, code }) => [`${folder}/${fileName}`, code]))
}

function listStartedModules(root: string): string[] {
  const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })
  return sources.sort().flatMap((path) => {
    const code = readFileSync(join(root, path), 'utf8')
    return [...code.matchAll(STARTED_MODULE)].map(([, name]) => join(dirname(path), `${name}.ts`))
  })
}

async function bundleEntries(
  cwd: string,
  plugins: Plugin[],
  input: Record<string, string>,
): Promise<OutputChunk[]> {
  const bundle = await rolldown({ cwd, input, platform: 'node', plugins, onLog: () => {} })
  const { output } = await bundle.generate({ format: 'esm', comments: { jsdoc: false } })
  await bundle.close()
  return output.filter((file) => file.type === 'chunk')
}

/** The directory of the package that has a module. */
const packageOf = (path: string): string | undefined =>
  /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]

const leaveOutOtherPackages = (root: string, packages: ReadonlySet<string>): Plugin => ({
  name: 'leave out other packages',
  resolveId: {
    filter: { id: /^[\w@]/ },
    // The kind matters: for a require, many packages have another file than for an import.
    async handler(name, importer, { kind }) {
      const resolved = await this.resolve(name, importer, { kind, skipSelf: true })
      const directory = packageOf(relative(root, resolved?.id ?? ''))
      const isLeftOut = directory !== undefined && !packages.has(directory)
      return isLeftOut ? { id: name, external: true } : resolved
    },
  },
})

const LOCATIONS = new RegExp(
  `${STARTED_MODULE.source}|import\\.meta\\.url|import\\.meta\\.dirname`,
  'g',
)

/**
 * Modules read files beside their source, and start threads and processes from there. A release has
 * those files at the same paths as the repository.
 */
const locateFromBundle = (root: string, folder: string): Plugin => ({
  name: 'locate files from the bundle',
  transform: {
    filter: { id: /\/src\/.*\.ts$/, code: /import\.meta\.(dirname|url)/ },
    handler: (code, path) => {
      const source = relative(join(root, folder), path)
      return code.replaceAll(LOCATIONS, (location: string, started?: string) => {
        if (started !== undefined) return `new URL('./${started}.js', import.meta.url)`
        return location === 'import.meta.url'
          ? `new URL('${source}', import.meta.url).href`
          : `(import.meta.dirname + '/${dirname(source)}')`
      })
    },
  },
})
