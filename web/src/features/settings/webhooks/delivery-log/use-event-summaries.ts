import { useQueries } from '@tanstack/react-query'
import type { EventEnvelope } from '#resources/events/contract.ts'
import { useMemberNames } from '../../../../data/session/boot.ts'
import { useLoadTasks } from '../../../../data/tasks/task-queries.ts'
import { getCachedTask, useTasksRevision } from '../../../../data/tasks/task-store.ts'
import { readMentions } from '../../../../lib/markdown/mentions.ts'
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
 * from the event log, in at most `MAX_WINDOWS` requests, and the tasks that comments, files and times belong to
 * by their ids.
 */
export function useEventSummaries(sequences: readonly number[]): ReadonlyMap<number, EventSummary> {
  const nameOf = useMemberNames()
  const windows = toSequenceWindows(sequences, WINDOW_SIZE).slice(0, MAX_WINDOWS)
  const events = useQueries({
    queries: windows.map(({ after, count }) => eventWindowQuery(after, count)),
    combine: (results) => results.flatMap(({ data = [] }) => data),
  })
  const shown = events.filter(({ sequence }) => sequences.includes(sequence))
  useLoadTasks([...new Set(shown.flatMap(({ data }) => getText(data, 'task_id') || []))])
  useTasksRevision()
  return new Map(shown.map((event) => [event.sequence, summarizeEvent(event, nameOf)]))
}

const getText = (data: EventEnvelope['data'], name: string): string => {
  const value = data[name]
  return typeof value === 'string' ? value : ''
}

/** The short id and the most descriptive field of an event's record. */
function summarizeEvent(
  { type, data }: Pick<EventEnvelope, 'type' | 'data'>,
  nameOf: (user_id: string) => string,
): EventSummary {
  const field = (name: string) => getText(data, name)
  const taskShortId = getCachedTask(field('task_id'))?.short_id
  const ofTask: Partial<EventSummary> = taskShortId ? { shortId: taskShortId } : {}
  if (type.startsWith('task.')) return { shortId: field('short_id'), text: field('title') }
  if (type.startsWith('comment.')) {
    const [line = ''] = field('body').split('\n')
    return { ...ofTask, text: readMentions(line, nameOf) }
  }
  if (type.startsWith('attachment.')) return { ...ofTask, text: field('filename') }
  if (type.startsWith('time_entry.')) return { ...ofTask, text: field('note') }
  if (type.startsWith('project.')) return { shortId: field('prefix'), text: field('name') }
  return { text: field('name') }
}
