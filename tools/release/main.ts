import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { createArchives } from './create-archives.ts'
import { collectRelease } from './release-files.ts'

/**
 * Makes a release of this clone in `release/`: `npm run release`. The same commit gives the same
 * bytes. `--commit` names the commit where there is no history, as in the build of an image, and
 * `--to` another folder. RELEASE_KEY_FILE names an Ed25519 key that signs the checksums
 * (docs/upgrades.md#fetch-a-release).
 */
const ROOT = join(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    commit: { type: 'string' },
    to: { type: 'string', default: join(ROOT, 'release') },
  },
})

const commit = values.commit ?? readCommitFromGit()
const release = await collectRelease(ROOT, commit)
const written = await createArchives(release, values.to, {
  ...(process.env.RELEASE_KEY_FILE && { signingKey: process.env.RELEASE_KEY_FILE }),
})
for (const path of Object.values(written).flat()) {
  const kilobytes = Math.ceil(statSync(path).size / 1_000).toLocaleString('en')
  console.log(`${relative(process.cwd(), path)}: ${release.version}, ${commit}, ${kilobytes} kB`)
}

/** Files that differ from the commit are said so: their release cannot be made again from it. */
function readCommitFromGit(): string {
  const head = git('rev-parse', 'HEAD')
  if (head === undefined) return 'unknown'
  return git('status', '--porcelain') === '' ? head : `${head}-modified`
}

function git(...words: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
