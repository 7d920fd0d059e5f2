import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

export const DOCKERFILE = readFileSync('deploy/Dockerfile', 'utf8')

/** Packages that the image build uninstalls: only the build of the web app needs them. */
export const UNINSTALLED_PACKAGES = (/npm uninstall ([^&]*)&&/.exec(DOCKERFILE)?.[1] ?? '')
  .split(/[\s\\]+/)
  .filter((word) => /^[@a-z]/.test(word))

/** Paths that are copied from the build stage into the image. */
export const COPIED_PATHS = [...DOCKERFILE.matchAll(/^COPY --from=build \/docket\/(\S+) /gm)].map(
  ([, path = '']) => path,
)

interface LockfilePackage {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** Lists the package directories in the image: the dependencies of the server in the lockfile. */
export function listServerPackages(): string[] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, LockfilePackage>
  }
  const directories = new Set<string>()
  function addPackages(names: Record<string, string> = {}, from: string) {
    for (const name of Object.keys(names)) {
      const place = resolvePackage(name, from)
      if (place === undefined || directories.has(place) || !existsSync(place)) continue
      directories.add(place)
      const { dependencies, optionalDependencies } = packages[place] ?? {}
      addPackages(dependencies, place)
      addPackages(optionalDependencies, place)
    }
  }
  /** Resolves a package like Node: first beside the package that needs it, then further up. */
  function resolvePackage(name: string, from: string): string | undefined {
    const place = join(from, 'node_modules', name)
    if (place in packages) return place
    const up = from.lastIndexOf('/node_modules/')
    return from === '' ? undefined : resolvePackage(name, up < 0 ? '' : from.slice(0, up))
  }
  const wanted = Object.entries(packages['']?.dependencies ?? {})
  addPackages(
    Object.fromEntries(wanted.filter(([name]) => !UNINSTALLED_PACKAGES.includes(name))),
    '',
  )
  return [...directories]
}

/**
 * Creates a directory with the contents of /docket in the image, and its Node. Everybody may read
 * it, only root may write.
 */
export function assembleImage(place: string): { root: string; node: string } {
  const root = join(place, 'docket')
  const node = join(place, 'node')
  for (const path of COPIED_PATHS) {
    if (path === 'node_modules') {
      for (const one of listServerPackages()) copy(one, join(root, one))
    } else if (existsSync(path)) copy(path, join(root, path))
  }
  linkOrCopy(process.execPath, node)
  chmodSync(place, 0o755)
  return { root, node }
}

/** Copies a file, or a folder without its tests and its node_modules. */
function copy(from: string, to: string): void {
  if (!statSync(from).isDirectory()) {
    mkdirSync(dirname(to), { recursive: true })
    linkOrCopy(from, to)
    return
  }
  mkdirSync(to, { recursive: true })
  const names = readdirSync(from).filter((name) => !/^node_modules$|\.test\.ts$/.test(name))
  for (const name of names) copy(join(from, name), join(to, name))
}

/** Hard-links a file if possible, or copies it: there are many files, and they are only read. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(realpathSync(from), to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    copyFileSync(from, to)
  }
}
