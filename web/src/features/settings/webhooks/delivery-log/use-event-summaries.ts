import { useQueries } from '@tanstack/react-query'
import type { EventEnvelope } from '#resources/events/contract.ts'
import { useBoot } from '../../../../data/session/boot.ts'
import { getCachedTask } from '../../../../data/tasks/task-store.ts'
import { type Mentionable, mentionIdsToNames } from '../../../../lib/markdown/mentions.ts'
import { eventWindowQuery } from '../webhook-queries.ts'
import { toSequenceWindows } from './event-search.ts'

/** A summary of an event's record: its short id, if it has one, and a text. */
export interface EventSummary {
  shortId?: string
  text: string
}

const WINDOW_SIZE = 100
const MAX_WINDOWS = 4

/**
 * Summaries of events by their sequence. Deliveries do not contain their events, so these are read
 * from the event log, in at most `MAX_WINDOWS` requests.
 */
export function useEventSummaries(sequences: readonly number[]): ReadonlyMap<number, EventSummary> {
  const { members } = useBoot('members')
  const windows = toSequenceWindows(sequences, WINDOW_SIZE).slice(0, MAX_WINDOWS)
  return useQueries({
    queries: windows.map(({ after, count }) => eventWindowQuery(after, count)),
    combine: (results) =>
      new Map(
        results.flatMap(({ data = [] }) =>
          data.map((event) => [event.sequence, summarizeEvent(event, members)] as const),
        ),
      ),
  })
}

/** The short id and the most descriptive field of an event's record. */
function summarizeEvent(
  { type, data }: Pick<EventEnvelope, 'type' | 'data'>,
  members: readonly Mentionable[],
): EventSummary {
  const field = (name: string) => (typeof data[name] === 'string' ? data[name] : '')
  const taskShortId = getCachedTask(field('task_id'))?.short_id
  const ofTask: Partial<EventSummary> = taskShortId ? { shortId: taskShortId } : {}
  if (type.startsWith('task.')) return { shortId: field('short_id'), text: field('title') }
  if (type.startsWith('comment.')) {
    const [line = ''] = field('body').split('\n')
    return { ...ofTask, text: mentionIdsToNames(line, members) }
  }
  if (type.startsWith('attachment.')) return { ...ofTask, text: field('filename') }
  if (type.startsWith('time_entry.')) return { ...ofTask, text: field('note') }
  if (type.startsWith('project.')) return { shortId: field('prefix'), text: field('name') }
  return { text: field('name') }
}
