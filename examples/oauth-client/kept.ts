import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'

/** What is kept between two runs. */
export interface Kept {
  url: string
  client_id: string
  refresh_token: string
}

/** What was kept, or undefined where nobody is signed in. */
export async function read(path: string): Promise<Kept | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Kept
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** For its owner alone to read, and never half written: the old refresh token is worth nothing now. */
export async function keep(path: string, kept: Kept): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, JSON.stringify(kept), { mode: 0o600, flag: 'wx', flush: true })
  await rename(draft, path)
}

export const forget = (path: string): Promise<void> => rm(path, { force: true })
