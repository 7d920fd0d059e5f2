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

/** What the image's build uninstalls: the web app is made of it, the server does without. */
export const UNINSTALLED = (/npm uninstall ([^&]*)&&/.exec(DOCKERFILE)?.[1] ?? '')
  .split(/[\s\\]+/)
  .filter((word) => /^[@a-z]/.test(word))

/** What is copied into the image from the place where it was built. */
export const COPIED = [...DOCKERFILE.matchAll(/^COPY --from=build \/docket\/(\S+) /gm)].map(
  ([, path = '']) => path,
)

interface Package {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** Where the packages lie that the server is left with: the closure of its dependencies in the lockfile. */
export function packagesLeft(): string[] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, Package>
  }
  const left = new Set<string>()
  function take(names: Record<string, string> = {}, from: string) {
    for (const name of Object.keys(names)) {
      const place = placeOf(name, from)
      if (place === undefined || left.has(place) || !existsSync(place)) continue
      left.add(place)
      const { dependencies, optionalDependencies } = packages[place] ?? {}
      take(dependencies, place)
      take(optionalDependencies, place)
    }
  }
  /** As Node looks for it: beside what needs it, and then further up. */
  function placeOf(name: string, from: string): string | undefined {
    const place = join(from, 'node_modules', name)
    if (place in packages) return place
    const up = from.lastIndexOf('/node_modules/')
    return from === '' ? undefined : placeOf(name, up < 0 ? '' : from.slice(0, up))
  }
  const wanted = Object.entries(packages['']?.dependencies ?? {})
  take(Object.fromEntries(wanted.filter(([name]) => !UNINSTALLED.includes(name))), '')
  return [...left]
}

/**
 * Makes in a directory what the image has in /docket, and its Node; for everybody to read, and for
 * nobody but root to write.
 */
export function imageIn(place: string): { root: string; node: string } {
  const root = join(place, 'docket')
  const node = join(place, 'node')
  for (const path of COPIED) {
    if (path === 'node_modules') {
      for (const one of packagesLeft()) copy(one, join(root, one))
    } else if (existsSync(path)) copy(path, join(root, path))
  }
  share(process.execPath, node)
  chmodSync(place, 0o755)
  return { root, node }
}

/** A file, or a folder without its tests and without packages of its own, which are copied by themselves. */
function copy(from: string, to: string): void {
  if (!statSync(from).isDirectory()) {
    mkdirSync(dirname(to), { recursive: true })
    share(from, to)
    return
  }
  mkdirSync(to, { recursive: true })
  const names = readdirSync(from).filter((name) => !/^node_modules$|\.test\.ts$/.test(name))
  for (const name of names) copy(join(from, name), join(to, name))
}

/** The same bytes under another name where that can be: they are many, and only read. */
function share(from: string, to: string): void {
  try {
    linkSync(realpathSync(from), to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    copyFileSync(from, to)
  }
}
