import { createHash, createPrivateKey, sign } from 'node:crypto'
import { copyFileSync, createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { NPM_PACKAGE, type Release } from './release-files.ts'
import { CHUNK_BYTES, createTar, type ReleaseFile, readContent } from './tar.ts'

/** The platform whose archive has no suffix: what most servers are. */
const MAIN_PLATFORM = 'linux-x64'

/** What a release is written into. */
export interface WrittenRelease {
  archive: string
  /** The npm package. */
  npmPackage: string
  /** The packages for other programs, which the archive contains too. */
  packages: string[]
}

/**
 * Writes `docket-<version>-<commit>.tgz` and the npm packages into a folder, and beside them the bill
 * of materials of the archive and the checksums of all, which it signs if there is a key.
 */
export async function createArchives(
  { name: folderName, version, files, npmFiles }: Release,
  folder: string,
  { compressionLevel = 9, signingKey }: { compressionLevel?: number; signingKey?: string } = {},
): Promise<WrittenRelease> {
  const platform = `${process.platform}-${process.arch}`
  const name = `${folderName}${platform === MAIN_PLATFORM ? '' : `-${platform}`}`
  mkdirSync(folder, { recursive: true })
  const write = async (file: string, top: string, entries: readonly ReleaseFile[]) => {
    const path = join(folder, file)
    await pipeline(
      createTar(top, entries),
      // Node writes no time into the header of gzip.
      createGzip({ level: compressionLevel, chunkSize: CHUNK_BYTES }),
      createWriteStream(path, { highWaterMark: CHUNK_BYTES }),
    )
    return path
  }
  const archive = await write(`${name}.tgz`, folderName, files)
  const npmPackage = await write(`${NPM_PACKAGE}-${version}.tgz`, 'package', npmFiles)
  const sbom = join(folder, `${name}.cdx.json`)
  writeFileSync(sbom, textOf(files, 'sbom.cdx.json'))
  const packages = files.flatMap(({ path, content }) => {
    if (!/^packages\/.*\.tgz$/.test(path) || !('file' in content)) return []
    const copy = join(folder, basename(path))
    copyFileSync(content.file, copy)
    return [copy]
  })
  const sums = [archive, sbom, npmPackage, ...packages].map(async (file) => {
    const hash = createHash('sha256')
    for await (const chunk of readContent({ file })) hash.update(chunk)
    return `${hash.digest('hex')}  ${basename(file)}\n`
  })
  const checksums = join(folder, `${name}.sha256`)
  writeFileSync(checksums, (await Promise.all(sums)).join(''))
  if (signingKey !== undefined) signFile(checksums, signingKey)
  return { archive, npmPackage, packages }
}

function textOf(files: readonly ReleaseFile[], path: string): string {
  const content = files.find((file) => file.path === path)?.content
  if (content === undefined || !('text' in content)) throw new Error(`There is no text ${path}.`)
  return content.text
}

/**
 * Signs a file with an Ed25519 key (RFC 8032) and writes the signature beside it, as `openssl pkeyutl`
 * verifies it. The key is a private one in PEM, as `openssl genpkey -algorithm ed25519` makes it.
 */
function signFile(path: string, keyPath: string): string {
  const key = createPrivateKey(readFileSync(keyPath))
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${keyPath} is no Ed25519 key.`)
  const signature = `${path}.sig`
  writeFileSync(signature, sign(null, readFileSync(path), key))
  return signature
}
