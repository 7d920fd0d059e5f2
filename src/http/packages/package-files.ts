import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What `tools/build-packages.ts` says of each package in `packages.json`. */
interface PackageRecord {
  name: string
  description: string
  /** The name of the file, which ends in the version. */
  file: string
  bytes: number
  sha256: string
  /** SHA-512 as npm writes it into a lockfile. */
  integrity: string
}

/** An npm package that this server offers, held in memory: three of them take 120 kB. */
export interface PackageFile extends PackageRecord {
  body: Buffer
}

const PACKAGES_DIRECTORY = join(import.meta.dirname, '../../../packages')

/** Loads the client library, the command line and the conformance kit; none if they are not built. */
export function loadPackages(directory = PACKAGES_DIRECTORY): readonly PackageFile[] {
  const current = readCurrent(directory)
  if (current === undefined) return []
  const folder = join(directory, current)
  const records: PackageRecord[] = JSON.parse(readFileSync(join(folder, 'packages.json'), 'utf8'))
  return records.map((one) => ({ ...one, body: readFileSync(join(folder, one.file)) }))
}

function readCurrent(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, 'current'), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
