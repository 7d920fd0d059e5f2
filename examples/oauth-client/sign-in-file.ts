import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'

/** What is stored between two runs. */
export interface SavedSignIn {
  url: string
  client_id: string
  refresh_token: string
}

/** Reads the stored sign-in; undefined if nobody is signed in. */
export async function readSignInFile(path: string): Promise<SavedSignIn | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as SavedSignIn
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Replaces the file atomically: the old refresh token is used up. Only the owner can read it. */
export async function writeSignInFile(path: string, kept: SavedSignIn): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, JSON.stringify(kept), { mode: 0o600, flag: 'wx', flush: true })
  await rename(draft, path)
}

export const deleteSignInFile = (path: string): Promise<void> => rm(path, { force: true })
