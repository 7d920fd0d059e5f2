import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createArchives } from '../../tools/release/create-archives.ts'
import { collectRelease, type Release } from '../../tools/release/release-files.ts'
import { atEnd } from '../support/engines/test-database.ts'
import { createTempDir } from '../support/system/temp-dir.ts'

/** The user of the image, which has no name: a release is run by others than who unpacks it. */
const OTHER_UID = 10_001
export const TEST_COMMIT = 'c0ffee'.repeat(6).padEnd(40, '0')

/** A release that is unpacked, and started as a user who may not write to it. */
export interface UnpackedRelease {
  release: Release
  directory: string
  /** The path of the archive, without `.tgz`. */
  archive: string
  /** The path of the npm package. */
  npmPackage: string
  /** A PATH with what scripts need, and without a Node. */
  path: string
  /** The path of the public key of its signature. */
  publicKey: string
  start(env: Record<string, string>, ...words: string[]): ChildProcess
  /** Runs its command line and returns what it prints. */
  runJson<T = Record<string, string>>(env: Record<string, string>, ...words: string[]): Promise<T>
  /** Creates a directory that this user may write to. */
  createWritableDir(): string
}

/** Makes a release of the repository and unpacks it. Compressing it would take ten seconds. */
export async function unpackRelease(): Promise<UnpackedRelease> {
  const place = createTempDir()
  chmodSync(place, 0o755)
  // Removed before the test run ends, because it takes 200 MB.
  atEnd(() => rmSync(place, { recursive: true, force: true }))
  execFileSync(process.execPath, ['tools/build-packages.ts'], { stdio: ['ignore', 2, 2] })
  const release = await collectRelease(process.cwd(), TEST_COMMIT)
  const { privateKey, publicKey: verifier } = generateKeyPairSync('ed25519')
  const [signingKey, publicKey] = [join(place, 'key'), join(place, 'docket-release.pub')]
  writeFileSync(signingKey, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(publicKey, verifier.export({ type: 'spki', format: 'pem' }))
  const { archive, npmPackage } = await createArchives(release, place, {
    compressionLevel: 0,
    signingKey,
  })
  execFileSync('tar', ['-xzf', archive, '-C', place])
  const directory = join(place, release.name)

  // All that the scripts need besides the shell; so they cannot find a Node.
  const path = join(place, 'path')
  mkdirSync(path)
  symlinkSync(
    execFileSync('which', ['readlink'], { encoding: 'utf8' }).trim(),
    join(path, 'readlink'),
  )
  // As /usr/local/bin/docket is, and /opt/docket.
  symlinkSync(directory, join(place, 'current'))
  for (const name of readdirSync(join(directory, 'bin')))
    symlinkSync(join(place, 'current/bin', name), join(path, name))

  const isRoot = process.getuid?.() === 0
  const user = isRoot ? { uid: OTHER_UID, gid: OTHER_UID } : {}
  const options = (env: Record<string, string>) => ({
    cwd: '/',
    env: { ...env, PATH: path },
    ...user,
  })
  return {
    release,
    directory,
    archive: archive.replace(/\.tgz$/, ''),
    npmPackage,
    path,
    publicKey,
    start: (env, ...words) =>
      spawn(join(path, 'docket-server'), words, {
        ...options(env),
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    async runJson(env, ...words) {
      const program = join(path, 'docket')
      const { stdout } = await promisify(execFile)(program, [...words, '--json'], options(env))
      return JSON.parse(stdout)
    },
    createWritableDir() {
      const created = createTempDir(place)
      if (isRoot) chownSync(created, OTHER_UID, OTHER_UID)
      return created
    },
  }
}
