import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** From where the webhooks of a database are sent: the same in the database and, with SQLite, beside it. */
export interface Mark {
  /** A name of the place that no other place has. */
  home: string
  /** Counts on for as long as something is sent from there. */
  beat: number
}

/** A mark as it was found in a file. */
export interface FileMark extends Mark {
  /** Whether the file is the one that was written, and no copy of it. */
  original: boolean
}

/** A mark as the text that is kept in the database. */
export const textOf = ({ home, beat }: Mark): string => `${home} ${beat}`

/** The mark that a text holds. */
export function markIn(text: string): Mark {
  const [home = '', beat] = text.trim().split(' ')
  return { home, beat: Number(beat) || 0 }
}

/** Reads the mark in a file; undefined where there is none. */
export async function readMark(path: string): Promise<FileMark | undefined> {
  const file = await open(path, 'r').catch(absent)
  if (!file) return undefined
  try {
    const text = await file.readFile('utf8')
    return { ...markIn(text), original: text.trim().split(' ')[2] === (await selfOf(file)) }
  } finally {
    await file.close()
  }
}

/**
 * Puts a mark into a file, each time into a new one that names itself: whoever copies it, in whatever
 * way and to wherever, makes another file. It is on the disk when this returns.
 */
export async function writeMark(path: string, mark: Mark): Promise<void> {
  const draft = `${path}.draft`
  await rm(draft, { force: true })
  const file = await open(draft, 'wx', 0o644)
  try {
    await file.writeFile(`${textOf(mark)} ${await selfOf(file)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  const directory = await open(dirname(path), 'r')
  await directory.sync().finally(() => directory.close())
}

/** Numbers of files are given again, instants are not. The number of the disk may change at a start. */
async function selfOf(file: FileHandle): Promise<string> {
  const { ino, birthtimeNs } = await file.stat({ bigint: true })
  return `${ino}.${birthtimeNs}`
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
  throw error
}
