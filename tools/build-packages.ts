import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildIfChanged } from './stamped-build.ts'

/**
 * Packs the client library, the command line and the conformance kit into `packages`, unless the current
 * sources are packed already. The server offers them at /docs/packages, and a release contains them.
 */
const root = join(import.meta.dirname, '..')

await buildIfChanged({
  name: 'packages',
  directory: 'packages',
  sources: [
    '{sdk,cli,conformance}/{src/**/*.ts,package.json,README.md,LICENSE}',
    'src/lib/{typed-dates,typed-duration,days,durations}.ts',
    'package-lock.json',
    'tools/{build-packages,stamped-build}.ts',
    'tools/packages/*.ts',
    'tools/release/tar.ts',
  ],
  entry: 'packages.json',
  async build(folder) {
    const { compilePackage, PACKAGE_FOLDERS } = await import('./packages/compile-package.ts')
    const { createTar } = await import('./release/tar.ts')
    const packed = PACKAGE_FOLDERS.map(async (name) => {
      const copied = ['package.json', 'README.md', 'LICENSE'].map((path) => ({
        path,
        content: { file: join(root, name, path) },
      }))
      const compiled = [...(await compilePackage(root, name))].map(([path, text]) => ({
        path: `dist/${path}`,
        content: { text },
      }))
      const tar = await Array.fromAsync(createTar('package', [...copied, ...compiled]))
      const bytes = gzipSync(Buffer.concat(tar), { level: 9 })
      const manifest = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'))
      const file = `${manifest.name}-${manifest.version}.tgz`
      writeFileSync(join(folder, file), bytes)
      return {
        name: manifest.name,
        description: manifest.description,
        file,
        bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
      }
    })
    writeFileSync(join(folder, 'packages.json'), JSON.stringify(await Promise.all(packed), null, 2))
  },
})
