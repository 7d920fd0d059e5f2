import { createHash } from 'node:crypto'
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Release } from './release-files.ts'
import { signFile } from './sign.ts'
import { CHUNK_BYTES, createTar, type ReleaseFile, readContent } from './tar.ts'

/** The platform whose archive has no suffix: what most servers are. */
const MAIN_PLATFORM = 'linux-x64'

/**
 * Writes `docket-<version>-<commit>.tgz` into a folder, and beside it the bill of materials and the
 * checksums of both, which it signs if there is a key. Returns the path of the archive.
 */
export async function createArchive(
  { name: folderName, files }: Release,
  folder: string,
  { compressionLevel = 9, signingKey }: { compressionLevel?: number; signingKey?: string } = {},
): Promise<string> {
  const platform = `${process.platform}-${process.arch}`
  const name = `${folderName}${platform === MAIN_PLATFORM ? '' : `-${platform}`}`
  const archive = join(folder, `${name}.tgz`)
  mkdirSync(folder, { recursive: true })
  await pipeline(
    createTar(folderName, files),
    // Node writes no time into the header of gzip.
    createGzip({ level: compressionLevel, chunkSize: CHUNK_BYTES }),
    createWriteStream(archive, { highWaterMark: CHUNK_BYTES }),
  )
  const sbom = `${name}.cdx.json`
  writeFileSync(join(folder, sbom), textOf(files, 'sbom.cdx.json'))
  const sums = [`${name}.tgz`, sbom].map(async (file) => {
    const hash = createHash('sha256')
    for await (const chunk of readContent({ file: join(folder, file) })) hash.update(chunk)
    return `${hash.digest('hex')}  ${file}\n`
  })
  const checksums = join(folder, `${name}.sha256`)
  writeFileSync(checksums, (await Promise.all(sums)).join(''))
  if (signingKey !== undefined) signFile(checksums, signingKey)
  return archive
}

function textOf(files: readonly ReleaseFile[], path: string): string {
  const content = files.find((file) => file.path === path)?.content
  if (content === undefined || !('text' in content)) throw new Error(`There is no text ${path}.`)
  return content.text
}
