import { execFileSync } from 'node:child_process'
import { CommandFailure } from './failures.ts'

/** Runs git here; undefined if there is no git, or no working tree of it. */
function git(...words: string[]): string | undefined {
  try {
    return execFileSync('git', words, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}

export const isInWorkingTree = (): boolean => git('rev-parse', '--is-inside-work-tree') === 'true'

const currentBranch = (): string | undefined => git('branch', '--show-current')

/** The short id in the name of the git branch: `ENG-42` in `eng-42-fix-login` or `ada/ENG-42`. */
export function taskOfBranch(): string | undefined {
  const branch = currentBranch() ?? ''
  return /(?:^|\/)([a-z][a-z0-9]*-\d+)(?![a-z0-9])/i.exec(branch)?.[1]?.toUpperCase()
}

const MAX_TITLE_CHARS = 40

/** The name of the branch of a task: `eng-42-fix-login`. */
export function branchNameOf(short_id: string, title: string): string {
  const words = title
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  let name = short_id.toLowerCase()
  const longest = name.length + MAX_TITLE_CHARS
  for (const word of words) {
    if (name.length + 1 + word.length > longest) break
    name += `-${word}`
  }
  return name
}

/** The branch that a task has already, also under an earlier title: the present one before others. */
export function findBranch(short_id: string): string | undefined {
  if (taskOfBranch() === short_id) return currentBranch()
  const id = short_id.toLowerCase()
  const format = '--format=%(refname:short)'
  return git('branch', '--list', format, id, `${id}-*`)?.split('\n').find(Boolean)
}

/** Switches to a branch, which is created if it does not exist. */
export function switchBranch(branch: string, isNew: boolean): void {
  // Before its first commit, git cannot switch to the branch on which it is.
  if (branch === currentBranch()) return
  try {
    const words = isNew ? ['switch', '--quiet', '-c', branch] : ['switch', '--quiet', branch]
    execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const why = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new CommandFailure('git_failed', `git cannot switch to ${branch}: ${why}`)
  }
}
