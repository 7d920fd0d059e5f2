import { writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { buildIfChanged } from './stamped-build.ts'

/**
 * Bundles the server into `dist` for `npm start`, as a release does, unless the current sources are
 * bundled already: a few files take less memory and time to load than 1,800 modules. A running server
 * loads some of them when they are first needed, so earlier builds stay for a month.
 */
const root = join(import.meta.dirname, '..')
const RETENTION_MS = 30 * 86_400_000

await buildIfChanged({
  name: 'server',
  directory: 'dist',
  sources: [
    'src/**/*.ts',
    'package-lock.json',
    'tools/{build-server,stamped-build}.ts',
    'tools/release/{bundle-server,lockfile}.ts',
  ],
  entry: 'server.js',
  retentionMs: RETENTION_MS,
  async build(folder) {
    const { bundleServer } = await import('./release/bundle-server.ts')
    const { listReleasedPackages } = await import('./release/lockfile.ts')
    const packages = new Set(listReleasedPackages(root).map(({ directory }) => directory))
    const files = await bundleServer(root, packages, relative(root, folder))
    for (const [path, code] of files) writeFileSync(join(folder, basename(path)), code)
  },
})
