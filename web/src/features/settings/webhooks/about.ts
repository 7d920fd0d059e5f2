import { useQueries } from '@tanstack/react-query'
import type { Event } from '#resources/events/contract.ts'
import { taskOf } from '../../../data/task-store.ts'
import { windowsOf } from './log-search.ts'
import { eventsQuery } from './queries.ts'

/** What an event is about: a short id where it has one, and words. */
export interface About {
  no?: string
  text: string
}

const WIDTH = 100
const MOST_WINDOWS = 4

/** What deliveries are about, by the sequence of their events: deliveries do not say it themselves. */
export function useAbout(sequences: readonly number[]): ReadonlyMap<number, About> {
  const windows = windowsOf(sequences, WIDTH).slice(0, MOST_WINDOWS)
  return useQueries({
    queries: windows.map(({ after, count }) => eventsQuery(after, count)),
    combine: (replies) =>
      new Map(
        replies.flatMap(({ data = [] }) =>
          data.map((one) => [one.sequence, aboutOf(one)] as const),
        ),
      ),
  })
}

/** The record of an event in few words. */
function aboutOf({ type, data }: Pick<Event, 'type' | 'data'>): About {
  const text = (name: string) => (typeof data[name] === 'string' ? data[name] : '')
  const known = taskOf(text('task_id'))?.short_id
  const of = known ? { no: known } : {}
  if (type.startsWith('task.')) return { no: text('short_id'), text: text('title') }
  if (type === 'comment.created') return { ...of, text: text('body').split('\n')[0] ?? '' }
  if (type === 'attachment.created') return { ...of, text: text('filename') }
  if (type === 'project.updated') return { no: text('prefix'), text: text('name') }
  return { text: text('name') }
}
