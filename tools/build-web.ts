import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { buildIfChanged } from './stamped-build.ts'

/** Builds the web app into `web/dist`, unless the current sources are built already. */
const root = join(import.meta.dirname, '..')
/** Smaller files fit into one packet anyway; fonts are compressed already. */
const MIN_COMPRESSED_BYTES = 1_024
const COMPRESSED = /\.(js|css|svg|json|txt)$/

await buildIfChanged({
  name: 'web app',
  directory: 'web/dist',
  sources: [
    'web/*.{html,ts,json}',
    'web/{src,public,fonts}/**/*',
    'src/{wire,lib}/**/*.ts',
    'src/**/{contract,internal}.ts',
    'package-lock.json',
    'tools/{build-web,stamped-build}.ts',
  ],
  entry: 'index.html',
  async build(folder) {
    const { build } = await import('vite')
    const configFile = join(root, 'web/vite.config.ts')
    await build({ configFile, logLevel: 'warn', build: { outDir: folder, emptyOutDir: true } })
    compressFiles(folder)
  },
})

/** Compresses files once, at the best level, instead of on each request. */
function compressFiles(folder: string): void {
  for (const file of globSync('**/*', { cwd: folder })) {
    const path = join(folder, file)
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
