import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** Where and as whom somebody might clone and run Docket. */
export interface ClonePlace {
  name: string
  /** The name of the folder below which its clones are, if it is not that of the place. */
  folder?: string
  /** Whether only its owner may enter that folder. */
  isPrivate?: boolean
  env?: Record<string, string>
  /** Who runs the commands, if not the user of this process. */
  user?: { uid: number; gid: number }
  /** Clones in which the same commands run at the same time. */
  clones?: number
  /** Why this machine does not have the place. */
  missing?: string
}

const isRoot = process.getuid?.() === 0

/** All places; each of these paths to a Node makes another one. */
export const listPlaces = (nodes: readonly string[]): ClonePlace[] => [
  {
    name: 'root-only',
    isPrivate: true,
    ...(!isRoot && { missing: 'only root can have a folder that only root may enter' }),
  },
  {
    name: 'ordinary-user',
    ...(isRoot
      ? findOrdinaryUser()
      : { missing: 'all other places run as an ordinary user already' }),
  },
  { name: 'odd-path', folder: 'Straße nach Łódź' },
  {
    name: 'odd-environment',
    env: {
      TZ: 'Pacific/Chatham',
      LANG: 'tr_TR.UTF-8',
      LC_ALL: 'tr_TR.UTF-8',
      HOME: '/nonexistent',
    },
  },
  { name: 'two-at-once', clones: 2 },
  ...nodes.map((node) => ({
    name: `node-${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`,
    env: { PATH: [dirname(realpathSync(node)), HOST_PATH].join(delimiter) },
  })),
]

/** Without the Node of the lockfile, which npx puts first, and which a fresh clone does not have. */
const HOST_PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((directory) => !directory.includes('node_modules'))
  .join(delimiter)

/** What npx, npm and a test run set for their own children says nothing about a new terminal. */
const INHERITED = /^(npm_|INIT_CWD$|NODE_(?!EXTRA_CA_CERTS)|TEST_|DOCKET_)/

/** The environment of a place; an ordinary user has a home directory beside the clones. */
export function environmentOf(
  { env = {}, user }: ClonePlace,
  folder: string,
): Record<string, string> {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || INHERITED.test(name) ? [] : [[name, value]],
  )
  const team = user ? { HOME: join(folder, 'home'), USER: 'nobody', LOGNAME: 'nobody' } : {}
  return { ...Object.fromEntries(inherited), PATH: HOST_PATH, ...team, ...env }
}

/** Makes the folder of a place, with a new clone for each of its users; returns the clones. */
export function createClones(place: ClonePlace, source: string, folder: string): string[] {
  mkdirSync(folder)
  if (place.isPrivate) chmodSync(folder, 0o700)
  if (place.user) mkdirSync(join(folder, 'home'))
  const clones = Array.from({ length: place.clones ?? 1 }, (_, at) => join(folder, `docket-${at}`))
  // Without --no-local the files of its history would be those of the source.
  for (const clone of clones) execFileSync('git', ['clone', '-q', '--no-local', source, clone])
  const { user } = place
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, folder])
  return clones
}

function findOrdinaryUser(): Pick<ClonePlace, 'user' | 'missing'> {
  try {
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8', stdio: 'pipe' })),
    )
    if (uid === undefined || gid === undefined) return { missing: 'id has printed nothing' }
    return { user: { uid, gid } }
  } catch {
    return { missing: 'this machine has no user nobody' }
  }
}
