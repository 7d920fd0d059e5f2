import { execFileSync } from 'node:child_process'
import { CommandFailure } from './failures.ts'

/** A repository with 100,000 branches has names of some 10 MB. */
const MAX_OUTPUT_BYTES = 100_000_000

/** Runs git here; undefined if there is no git, or no working tree of it. */
function git(...words: string[]): string | undefined {
  try {
    return execFileSync('git', words, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: MAX_OUTPUT_BYTES,
    }).trim()
  } catch {
    return undefined
  }
}

export const isInWorkingTree = (): boolean => git('rev-parse', '--is-inside-work-tree') === 'true'

const currentBranch = (): string => git('branch', '--show-current') ?? ''

/**
 * What may be the short ids of tasks in the name of a branch: `ENG-42` in `eng-42-fix-login` or
 * `ada/ENG-42`. Only the server knows: `RELEASE-2` is none unless a project has this prefix.
 */
const shortIdsIn = (branch: string): string[] =>
  [...branch.matchAll(/(?:^|\/)([a-z][a-z0-9]{1,9}-\d+)(?![a-z0-9]|\.\d)/gi)].map(([, id = '']) =>
    id.toUpperCase(),
  )

/** What may be short ids of tasks in the name of the present branch. */
export const shortIdsOfBranch = (): string[] => shortIdsIn(currentBranch())

const MAX_TITLE_CHARS = 40
/** Latin letters that Unicode does not decompose, as people write them without their marks. */
const PLAIN_LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŧ: 't',
  ŋ: 'ng',
  ə: 'e',
  ĸ: 'k',
}

/** The name of the branch of a task: `eng-42-fix-login`. */
export function branchNameOf(short_id: string, title: string): string {
  const words = title
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{ASCII}]/gu, (letter) => PLAIN_LETTERS[letter] ?? letter)
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

/** A branch that exists. */
interface GitBranch {
  name: string
  /** The ref to begin at and to follow, if the branch is only in another repository. */
  upstream?: string
}

/**
 * The branch that a task has already, also under an earlier title: the present one before others, then those of
 * this repository, then those that a clone or a fetch has brought, of `origin` first.
 */
export function findBranch(short_id: string): GitBranch | undefined {
  const current = currentBranch()
  if (shortIdsIn(current).includes(short_id)) return { name: current }
  const refs = git('for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/remotes')
  const remotes = ['origin', ...(git('remote') ?? '').split('\n')]
  const prefixes = ['refs/heads/', ...remotes.map((remote) => `refs/remotes/${remote}/`)]
  for (const prefix of prefixes) {
    const names = (refs ?? '')
      .split('\n')
      .filter((ref) => ref.startsWith(prefix))
      .map((ref) => ref.slice(prefix.length))
      .filter((name) => shortIdsIn(name).includes(short_id))
    // `eng-42-fix-login` is of the task itself; `ada/eng-42` may be the attempt of one person.
    const name = names.find((one) => !one.includes('/')) ?? names[0]
    if (name === undefined) continue
    return prefix === 'refs/heads/' ? { name } : { name, upstream: prefix + name }
  }
  return undefined
}

/** Switches to a branch that exists, or begins one with this name. */
export function switchBranch({ name, upstream }: GitBranch, isNew: boolean): void {
  // Before its first commit, git cannot switch to the branch on which it is.
  if (name === currentBranch()) return
  // A name that begins with a dash, which a remote can have, is no option.
  const words = isNew
    ? ['-c', name]
    : upstream === undefined
      ? ['--no-guess', '--', name]
      : ['-c', name, '--track', '--', upstream]
  try {
    execFileSync('git', ['switch', '--quiet', ...words], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (error) {
    const why = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new CommandFailure('git_failed', `git cannot switch to ${name}: ${why}`)
  }
}
