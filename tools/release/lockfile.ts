import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package of package-lock.json. */
interface LockfileEntry {
  version: string
  license?: string
  /** Its SHA-512, as `sha512-<base64>`. */
  integrity?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/** A package that a release contains. */
export interface ReleasedPackage extends LockfileEntry {
  name: string
  /** Where it is installed, such as `node_modules/pg`. */
  directory: string
  /** Directories of the packages that it depends on and that are released too. */
  requires: string[]
}

/** They build the web app when a clone is started; nothing of them is in what they build. */
const BUILD_PACKAGES = ['vite', '@vitejs/plugin-react']

/**
 * Lists the packages that a release may contain, sorted: the installed production dependencies
 * according to package-lock.json, without those that build the web app.
 */
export function listReleasedPackages(root: string): ReleasedPackage[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockfileEntry>
  }
  const released = new Map<string, ReleasedPackage>()

  function add(directory: string): void {
    const locked = packages[directory]
    if (locked === undefined || released.has(directory)) return
    const name = directory.slice(directory.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const entry: ReleasedPackage = { ...locked, name, directory, requires: [] }
    released.set(directory, entry)
    entry.requires = addDependencies(locked, directory)
  }

  function addDependencies(locked: LockfileEntry, from: string): string[] {
    const names = [
      ...Object.keys(locked.dependencies ?? {}),
      ...Object.keys(locked.optionalDependencies ?? {}),
    ].filter((name) => from !== '' || !BUILD_PACKAGES.includes(name))
    const directories = names.flatMap((name) => resolve(name, from) ?? [])
    for (const directory of directories) add(directory)
    return directories.sort()
  }

  /** Resolves a package like Node: first beside the package that needs it, then further up. */
  function resolve(name: string, from: string): string | undefined {
    const directory = join(from, 'node_modules', name)
    if (directory in packages) return existsSync(join(root, directory)) ? directory : undefined
    const up = from.lastIndexOf('/node_modules/')
    return from === '' ? undefined : resolve(name, up < 0 ? '' : from.slice(0, up))
  }

  const { dependencies = {}, ...project } = packages[''] ?? { version: '' }
  addDependencies({ ...project, dependencies }, '')
  return [...released.values()].sort((a, b) => (a.directory < b.directory ? -1 : 1))
}

/** Whether it is one of the packages that have the binary of Node for a platform. */
export const isNodePackage = (name: string): boolean => /^node-(bin-)?(linux|darwin)-/.test(name)
