import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { TestContext } from 'node:test'
import { REPOSITORY_ROOT, RESULTS_DIR } from '../../../tools/testing/test-files.ts'
import { isTestWorker } from './cleanup.ts'

/** File systems limit a name to 255 bytes, and a letter can take several. */
const MAX_SLUG_LENGTH = 150

/** Writes the files that explain why one test failed. */
export interface TestArtifacts {
  /** Creates the folder, and returns the file's path, which is printed with the failure. */
  path(name: string): string
  write(name: string, text: string): void
}

type TestNames = Pick<TestContext, 'name' | 'fullName' | 'filePath' | 'diagnostic'>

const artifactsByTest = new WeakMap<TestNames, TestArtifacts>()

/** Returns the artifacts of a test. All that is written for it goes to the same folder. */
export const createTestArtifacts = (t: TestNames): TestArtifacts =>
  artifactsByTest.getOrInsertComputed(t, openArtifacts)

/** The first file creates the folder and removes whatever an earlier run left in it. */
function openArtifacts(t: TestNames): TestArtifacts {
  // In a worker, which runs several files, the full name already begins with the file.
  const name = isTestWorker
    ? t.fullName
    : `${relative(REPOSITORY_ROOT, t.filePath ?? '')} ${t.name}`
  const folder = join(RESULTS_DIR, slugOf(name))
  let hasFolder = false
  const path = (name: string) => {
    if (!hasFolder) {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true })
    }
    hasFolder = true
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
