import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A commit. Days are in the local time of author and committer, times have their UTC offset. */
export interface Commit {
  hash: string
  parents: string[]
  author: CommitIdentity
  committer: CommitIdentity
  subject: string
  /** The message without its subject, trailers included. */
  body: string
  /** As `Key: value`, with folded lines joined. */
  trailers: string[]
  note: string
  /** The changed paths; none for a merge. */
  paths: string[]
}

export interface CommitIdentity {
  name: string
  email: string
  day: string
  time: string
}

/** The format fields of a commit, in the order in which `parseCommit` reads them. */
const FIELDS = [
  '%H',
  '%P',
  '%aN',
  '%aE',
  '%as',
  '%aI',
  '%cN',
  '%cE',
  '%cs',
  '%cI',
  '%s',
  '%b',
  '%(trailers:only,unfold)',
  '%N',
]

/** Overrides settings of the user's git that would change the output. */
const LOG_ARGUMENTS = [
  '-c',
  'log.showSignature=false',
  'log',
  '--reverse',
  '--topo-order',
  '--no-color',
  '--name-only',
  '-z',
  '--no-renames',
  '--no-ext-diff',
  '--no-diff-merges',
  '--notes',
  '--encoding=UTF-8',
  `--format=%x00${FIELDS.join('%x00')}`,
  '--end-of-options',
]

/** Streams the commits of the revisions, parents before children. */
export async function* readCommits(repository: string, revisions: string): AsyncGenerator<Commit> {
  const git = spawn('git', ['-C', repository, ...LOG_ARGUMENTS, revisions, '--'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaint = ''
  git.stderr.setEncoding('utf8').on('data', (part) => {
    complaint += part
  })
  const closed = once(git, 'close')
  closed.catch(() => {})
  try {
    yield* parseCommits(splitAtNul(git.stdout.setEncoding('utf8')))
    const [code] = await closed
    if (code !== 0) throw new Error(`git log failed: ${complaint.trim()}`)
  } finally {
    git.kill()
  }
}

/** Splits the output at NUL bytes. The encoding of the stream keeps multi-byte characters whole. */
async function* splitAtNul(output: AsyncIterable<string>): AsyncGenerator<string> {
  let rest: string[] = []
  for await (const chunk of output) {
    const [first = '', ...others] = chunk.split('\0')
    rest.push(first)
    if (others.length === 0) continue
    yield rest.join('')
    rest = [others.pop() ?? '']
    yield* others
  }
}

/**
 * A commit is an empty part, its fields, and its paths; a line feed precedes the first path. A path
 * is never empty, so an empty part ends the commit.
 */
async function* parseCommits(parts: AsyncGenerator<string>): AsyncGenerator<Commit> {
  let fields: string[] = []
  let paths: string[] = []
  for await (const part of parts) {
    if (fields.length === FIELDS.length && part !== '') {
      paths.push(paths.length === 0 ? part.replace(/^\n/, '') : part)
    } else if (fields.length === FIELDS.length) {
      yield parseCommit(fields, paths)
      fields = []
      paths = []
    } else if (fields.length > 0 || part !== '') fields.push(part)
  }
  if (fields.length === FIELDS.length) yield parseCommit(fields, paths)
}

function parseCommit(fields: string[], paths: string[]): Commit {
  const rest = [...fields]
  const next = () => rest.shift() ?? ''
  const person = () => ({ name: next(), email: next(), day: next(), time: next() })
  return {
    hash: next(),
    parents: splitNonEmpty(next(), ' '),
    author: person(),
    committer: person(),
    subject: next(),
    body: next(),
    trailers: splitNonEmpty(next(), '\n'),
    note: next(),
    paths,
  }
}

const splitNonEmpty = (text: string, by: string) => text.split(by).filter((word) => word !== '')
