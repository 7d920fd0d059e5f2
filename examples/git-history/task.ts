import type { Commit, CommitIdentity } from './git.ts'
import type { CreateTaskRequest } from './records.ts'
import { toMultilineText, toSingleLine } from './text.ts'

const MAX_TITLE_LENGTH = 500
const MAX_TEXT_LENGTH = 65_536
const MAX_VALUE_LENGTH = 500

/** The fields of a task that do not come from its commit. */
export interface CommitTaskFields {
  project_id: string
  status: string
  assignee_ids: string[]
  tag_ids: string[]
}

/** Converts a commit. The result must not depend on the time: the idempotency key is made of it. */
export function createTaskFromCommit(commit: Commit, place: CommitTaskFields): CreateTaskRequest {
  const { hash, subject, body } = commit
  const title = toSingleLine(subject, MAX_TITLE_LENGTH)
  const whole = title.endsWith('…') && title !== subject ? `${subject}\n\n${body}` : body
  const description = toMultilineText(whole, MAX_TEXT_LENGTH)
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

/** The comments for a commit: its merge parents, trailers and note. */
export function createCommentBodies({ parents, trailers, note }: Commit): string[] {
  const [into = '', ...merged] = parents.map((hash) => `\`${hash.slice(0, 12)}\``)
  const merge = merged.length > 0 ? `Merges ${merged.join(', ')} into ${into}.` : ''
  const said = trailers.map((trailer) => `- ${trailer}`).join('\n')
  return [merge, said, note]
    .map((text) => toMultilineText(text, MAX_TEXT_LENGTH))
    .filter((text) => text !== '')
}

/**
 * From the author's day to the committer's. Clocks can be wrong and time zones differ: a start
 * after the end becomes the end, and a day outside of the years that Docket accepts is left out.
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
    ...(parents.length > 0 && { parents: joinThatFit(parents) }),
  }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, toSingleLine(value, MAX_VALUE_LENGTH)]),
  )
}

const signature = ({ name, email }: CommitIdentity) => `${name} <${email}>`

/** As many whole hashes as fit: an octopus merge can have more parents than a value can hold. */
function joinThatFit(hashes: string[]): string {
  const room = Math.floor(MAX_VALUE_LENGTH / ((hashes[0]?.length ?? 0) + 1))
  return hashes.slice(0, room).join(' ')
}
