interface LockedPackage {
  version?: string
  resolved?: string
  integrity?: string
  dev?: boolean
  link?: boolean
  hasInstallScript?: boolean
}

/** The origin of packages in package-lock.json; npm writes the same about installed packages. */
export interface PackageLock {
  packages: Record<string, LockedPackage>
}

const MAX_PRODUCTION_PACKAGES = 350
const SHA512_INTEGRITY = /^sha512-[A-Za-z0-9+/]{86}==$/
const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/

/**
 * Checks the origin of all packages. `lock` is package-lock.json, `installed` what npm has
 * installed on this machine, and `scripts` names the packages whose install scripts may run.
 */
export function findPackageFaults(
  lock: PackageLock,
  installed: PackageLock,
  scripts: Readonly<Record<string, boolean>>,
): string[] {
  const packages = Object.entries(lock.packages).filter(([path]) => path !== '')
  const production = packages.filter(([, { dev }]) => !dev)
  const faults = packages.flatMap(([path, one]) => checkOrigin(path, one))
  if (production.length > MAX_PRODUCTION_PACKAGES)
    faults.push(`${production.length} production packages`)
  for (const [path, { integrity, hasInstallScript }] of Object.entries(installed.packages)) {
    const name = path.replace(/^.*node_modules\//, '')
    const locked = lock.packages[path]
    if (locked?.integrity !== integrity) faults.push(`${path} is not what the lockfile names`)
    if (hasInstallScript && !scripts[name]) faults.push(`${path} has an install script`)
  }
  return faults
}

/**
 * Accepts versions of the registry with their sha512 only: no git repository, no tarball URL, no
 * folder. This includes the optional packages of other platforms: npm installs one without sha512
 * unchecked, and one without its `libc` on a system that cannot run it.
 */
function checkOrigin(
  path: string,
  { version = '', resolved, integrity, link }: LockedPackage,
): string[] {
  const isFromElsewhere =
    resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/')
  const isForeign = link || isFromElsewhere || !VERSION.test(version)
  if (isForeign) return [`${path} is not from the registry: ${resolved ?? version}`]
  return SHA512_INTEGRITY.test(integrity ?? '') ? [] : [`${path} is locked without sha512`]
}
