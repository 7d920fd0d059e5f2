interface Locked {
  version?: string
  resolved?: string
  integrity?: string
  dev?: boolean
  link?: boolean
  hasInstallScript?: boolean
}

/** What of package-lock.json says where packages come from; npm keeps the same of what it installed. */
export interface Lock {
  packages: Record<string, Locked>
}

const MOST_PRODUCTION = 320
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/
const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/

/**
 * What is wrong with where the packages come from (P1, P2): `lock` is what may be installed,
 * `installed` what npm has installed on this machine, `scripts` the packages whose install scripts run.
 */
export function faultsOfSupply(
  lock: Lock,
  installed: Lock,
  scripts: Readonly<Record<string, boolean>>,
): string[] {
  const packages = Object.entries(lock.packages).filter(([path]) => path !== '')
  const production = packages.filter(([, { dev }]) => !dev)
  const faults = packages.flatMap(([path, one]) => faultsOf(path, one))
  if (production.length > MOST_PRODUCTION) faults.push(`${production.length} production packages`)
  for (const [path, { integrity, hasInstallScript }] of Object.entries(installed.packages)) {
    const name = path.replace(/^.*node_modules\//, '')
    const locked = lock.packages[path]
    if (!SHA512.test(integrity ?? '')) faults.push(`${path} is installed without sha512`)
    if (locked?.integrity !== integrity) faults.push(`${path} is not what the lockfile names`)
    if (hasInstallScript && !scripts[name]) faults.push(`${path} has an install script`)
  }
  return faults
}

/** A registry's own versions only: no git, no tarball by its address, no folder. */
function faultsOf(path: string, { version = '', resolved, link }: Locked): string[] {
  const elsewhere = resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/')
  const odd = link || elsewhere || !VERSION.test(version)
  return odd ? [`${path} is not from the registry: ${resolved ?? version}`] : []
}
