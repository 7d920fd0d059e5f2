import { globSync, statSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** Where failing tests leave traces, screenshots and logs; successful ones leave nothing. */
export const RESULTS = process.env.TEST_RESULTS ?? join(ROOT, 'test-results')

const PATTERNS = ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts']

/** What takes longest comes first, so that no long file is left over when all others have ended. */
const SLOW_FOLDERS = ['test/processes', 'test/experiments', 'test/browser', 'test/archive', 'test']

/** These need a browser, servers in processes of their own, or PostgreSQL. */
const NOT_QUICK = [
  ...['test/', 'src/consent/leaving', 'src/delivery/pools', 'src/delivery/hostile'],
  ...[
    'src/delivery/home',
    'src/delivery/life',
    'src/resources/tasks/any.',
    'src/resources/tasks/lists.',
  ],
]

/** These look at modules while they load, so nothing may have loaded them before. */
const OWN_PROCESS = ['test/storage/distribution.test.ts']

/** Whether no other file may run in the process of this one. */
export const needsOwnProcess = (file: string): boolean => OWN_PROCESS.includes(file)

/** All test files, in the order in which they start; paths from the root of the repository, with `/`. */
export function allTestFiles(): string[] {
  return inOrder(PATTERNS.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).map(slashed))
}

/** Units and scenarios that run on SQLite alone. */
export const quickTestFiles = (): string[] =>
  allTestFiles().filter((file) => !NOT_QUICK.some((start) => file.startsWith(start)))

/** The test files that paths from the command line name: files, folders or glob patterns. */
export function testFilesAt(paths: readonly string[]): string[] {
  const found = paths.flatMap((path) => {
    const from = isAbsolute(path) ? path : join(process.cwd(), path)
    if (statSync(from, { throwIfNoEntry: false })?.isDirectory())
      return globSync(join(from, '**/*.test.ts'))
    return globSync(from)
  })
  if (found.length === 0) throw new Error(`No test file at ${paths.join(' ')}`)
  return inOrder([...new Set(found.map((path) => slashed(relative(ROOT, path))))])
}

const slashed = (path: string): string => path.replaceAll('\\', '/')

function inOrder(files: string[]): string[] {
  const rank = (file: string) => {
    const at = SLOW_FOLDERS.findIndex((folder) => file.startsWith(`${folder}/`))
    return at < 0 ? SLOW_FOLDERS.length : at
  }
  return files.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

/** The same files in an order that a seed decides (mulberry32, Fisher and Yates). */
export function shuffled(files: readonly string[], seed: number): string[] {
  let state = seed
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const order = [...files]
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1))
    const [one, two] = [order[at], order[other]]
    if (one === undefined || two === undefined) continue
    order[at] = two
    order[other] = one
  }
  return order
}
