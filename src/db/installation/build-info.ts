import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS } from '../migrate/migrations.ts'

/** Identifies the running program, for `docket --version` and the metric `docket_build_info`. */
interface BuildInfo {
  /** The version in package.json. */
  version: string
  /** The commit of the sources, or `unknown`. A release ends in `-modified` if files were changed. */
  commit: string
  /** The schema version that this program migrates to. */
  schema: number
  /** The version of Node, such as `v26.10.0`. */
  node: string
}

const PROGRAM_ROOT = join(import.meta.dirname, '../../..')

/** The package.json of the sources, or that of a release, which also names its commit. */
const { name, version, gitHead } = JSON.parse(
  readFileSync(join(PROGRAM_ROOT, 'package.json'), 'utf8'),
) as { name: string; version: string; gitHead?: string }

export const BUILD_INFO: BuildInfo = {
  version,
  commit: gitHead ?? readCommit(join(PROGRAM_ROOT, '.git')) ?? 'unknown',
  schema: MIGRATIONS.length,
  node: process.version,
}

/** How people start the command line: by npm in a clone and from its package, by a script in an archive. */
export const COMMAND_NAME = findCommandName()

function findCommandName(): string {
  if (gitHead === undefined) return 'npm run --silent docket --'
  // By its file: npx would fetch a name that is not installed from the registry, where it is not Docket's.
  return name === 'docket-server' ? `npx ./${name}-${version}.tgz` : 'docket'
}

/**
 * Reads the commit of a clone from its `.git` directory, without starting git. Returns undefined for
 * anything else, such as a linked worktree or sources without history.
 */
export function readCommit(gitDirectory: string): string | undefined {
  const head = readLine(join(gitDirectory, 'HEAD'))
  const [, branch] = /^ref: (refs\/[\w./+-]+)$/.exec(head ?? '') ?? []
  const commit =
    branch === undefined
      ? head
      : (readLine(join(gitDirectory, branch)) ?? readPackedRef(gitDirectory, branch))
  return commit !== undefined && /^[0-9a-f]{40,64}$/.test(commit) ? commit : undefined
}

function readPackedRef(gitDirectory: string, branch: string): string | undefined {
  const lines = readText(join(gitDirectory, 'packed-refs'))?.split('\n')
  return lines?.find((line) => line.endsWith(` ${branch}`))?.split(' ')[0]
}

// Declarations, because the module calls them while it loads.
function readLine(path: string): string | undefined {
  return readText(path)?.trim()
}

function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
