import type { Commit, Person } from './git.ts'
import type { NewTask } from './records.ts'
import { line, lines } from './text.ts'

const LONGEST_TITLE = 500
const LONGEST_TEXT = 65_536
const LONGEST_VALUE = 500

/** What of a task is not in its commit. */
export interface Place {
  project_id: string
  status: string
  assignee_ids: string[]
  tag_ids: string[]
}

/** A commit as a task. Nothing here may depend on the day: the same commit gives the same body. */
export function taskOf(commit: Commit, place: Place): NewTask {
  const { hash, subject, body } = commit
  const title = line(subject, LONGEST_TITLE)
  const whole = title.endsWith('…') && title !== subject ? `${subject}\n\n${body}` : body
  const description = lines(whole, LONGEST_TEXT)
  return {
    ...place,
    title: title || `Commit ${hash.slice(0, 12)}`,
    ...(description !== '' && { description }),
    ...daysOf(commit),
    external_source: 'git',
    external_id: hash,
    metadata: metadataOf(commit),
  }
}

/** What was said of a commit beside its message, as bodies of comments. */
export function remarksOf({ parents, trailers, note }: Commit): string[] {
  const [into = '', ...merged] = parents.map((hash) => `\`${hash.slice(0, 12)}\``)
  const merge = merged.length > 0 ? `Merges ${merged.join(', ')} into ${into}.` : ''
  const said = trailers.map((trailer) => `- ${trailer}`).join('\n')
  return [merge, said, note].map((text) => lines(text, LONGEST_TEXT)).filter((text) => text !== '')
}

/**
 * From the author's day to the committer's. Clocks are wrong and zones differ: a start after the
 * end becomes the end, and a day outside Docket's years is left out.
 */
function daysOf({ author, committer }: Commit): { start_date?: string; due_date?: string } {
  const [start, due] = [author.day, committer.day].map((day) => (isDay(day) ? day : undefined))
  if (due === undefined) return start === undefined ? {} : { start_date: start }
  return { start_date: start === undefined || start > due ? due : start, due_date: due }
}

const isDay = (day: string) => /^(19[7-9]\d|[2-9]\d{3})-\d\d-\d\d$/.test(day)

function metadataOf({ author, committer, parents }: Commit): Record<string, string> {
  const kept = { author: signature(author), authored_at: author.time, committed_at: committer.time }
  const by = signature(committer)
  const values = {
    ...kept,
    ...(by !== kept.author && { committer: by }),
    ...(parents.length > 0 && { parents: fitting(parents) }),
  }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, line(value, LONGEST_VALUE)]),
  )
}

const signature = ({ name, email }: Person) => `${name} <${email}>`

/** As many hashes as fit, whole ones: an octopus has more parents than a value has room. */
function fitting(hashes: string[]): string {
  const room = Math.floor(LONGEST_VALUE / ((hashes[0]?.length ?? 0) + 1))
  return hashes.slice(0, room).join(' ')
}
