import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Refusal } from '#core/refusal.ts'
import type { Tokens } from './authorization.ts'

/** As whom the person of this computer is signed in, and where. */
export interface Credentials extends Tokens {
  /** Base URL of the Docket. */
  url: string
  client_id: string
  user_id: string
  workspace_id: string
}

/** What is kept in a person's directory, or undefined where nobody is signed in. */
export async function readCredentials(personalDir: string): Promise<Credentials | undefined> {
  const path = pathIn(personalDir)
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Credentials
  } catch (error) {
    if (Object(error).code === 'ENOENT') return undefined
    const why = error instanceof Error ? error.message : String(error)
    throw new Refusal(500, 'internal_error', `${path} cannot be read: ${why}`, { cause: error })
  }
}

/** The same where somebody must be signed in. */
export async function credentialsIn(personalDir: string): Promise<Credentials> {
  const found = await readCredentials(personalDir)
  if (found) return found
  const message = 'Nobody is signed in on this computer: docket login does that.'
  throw new Refusal(401, 'authentication_required', message)
}

/**
 * Keeps credentials for nobody else to read. Another process sees the old ones or the new ones, never
 * a part, and so does whoever comes after a power cut: an old refresh token would end the sign-in.
 */
export async function keepCredentials(personalDir: string, given: Credentials): Promise<void> {
  const path = pathIn(personalDir)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await chmod(dirname(path), 0o700)
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(given, undefined, 2)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

export const dropCredentials = (personalDir: string): Promise<void> =>
  rm(pathIn(personalDir), { force: true })

const pathIn = (personalDir: string) => join(personalDir, 'docket', 'credentials.json')
