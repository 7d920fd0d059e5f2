import { randomBytes } from 'node:crypto'
import { chmod, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ApiError } from '#core/api-error.ts'
import { makeDirectory } from '#db/installation/make-directory.ts'
import type { OAuthTokens } from './oauth-client.ts'

/** The stored sign-in of the user of this computer. */
export interface CliCredentials extends OAuthTokens {
  /** Base URL of the Docket. */
  url: string
  client_id: string
  user_id: string
  workspace_id: string
}

/** Reads the stored credentials; undefined if nobody is signed in. */
export async function readCredentials(personalDir: string): Promise<CliCredentials | undefined> {
  const path = credentialsPath(personalDir)
  try {
    return JSON.parse(await readFile(path, 'utf8')) as CliCredentials
  } catch (error) {
    if (Object(error).code === 'ENOENT') return undefined
    const why = error instanceof Error ? error.message : String(error)
    throw new ApiError(500, 'internal_error', `Cannot read ${path}: ${why}`, { cause: error })
  }
}

/** Reads the stored credentials. Throws 401 if nobody is signed in. */
export async function requireCredentials(personalDir: string): Promise<CliCredentials> {
  const credentials = await readCredentials(personalDir)
  if (credentials) return credentials
  const message = 'You are not signed in on this computer. Run docket login.'
  throw new ApiError(401, 'authentication_required', message)
}

/**
 * Stores credentials in a file that only this user can read. The file is replaced atomically and
 * synced: neither another process nor a power cut may leave a part of it, or an old refresh token,
 * whose use would end the sign-in.
 */
export async function saveCredentials(
  personalDir: string,
  credentials: CliCredentials,
): Promise<void> {
  const path = credentialsPath(personalDir)
  makeDirectory(dirname(path), 0o700)
  await chmod(dirname(path), 0o700)
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(credentials, undefined, 2)}\n`)
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

export const deleteCredentials = (personalDir: string): Promise<void> =>
  rm(credentialsPath(personalDir), { force: true })

const credentialsPath = (personalDir: string) => join(personalDir, 'docket', 'credentials.json')
