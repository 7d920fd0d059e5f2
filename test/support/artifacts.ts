import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { TestContext } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
/** Where failing tests leave what they know; successful ones leave nothing. */
const RESULTS = process.env.TEST_RESULTS ?? join(ROOT, 'test-results')
/** File systems take 255 bytes. */
const MAX_SLUG_LENGTH = 150

/** The files of one failing test. */
export interface Artifacts {
  /** Where to write a file of this name: the folder is there, and the path is printed with the failure. */
  path(name: string): string
  write(name: string, text: string): void
}

/** Makes the folder when the first file is asked for: what an earlier run left there goes. */
export function artifactsOf(t: Pick<TestContext, 'name' | 'filePath' | 'diagnostic'>): Artifacts {
  const folder = join(RESULTS, slugOf(`${relative(ROOT, t.filePath ?? '')} ${t.name}`))
  let isMade = false
  const path = (name: string) => {
    if (!isMade) {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true })
    }
    isMade = true
    const file = join(folder, name)
    t.diagnostic(`left: ${file}`)
    return file
  }
  return { path, write: (name, text) => writeFileSync(path(name), text) }
}

const slugOf = (text: string) =>
  text
    .replace(/\.test\.ts/, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, MAX_SLUG_LENGTH)
