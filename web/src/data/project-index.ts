import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Task } from '#resources/tasks/fields.ts'
import { refusalOf } from '../lib/call.ts'
import { keepReplies } from '../lib/kept-replies.ts'
import { released } from '../lib/pause.ts'
import { reach } from '../lib/reach.ts'
import { orKept } from '../lib/read.ts'
import { isBusy, onCalm } from './calm.ts'
import { queries } from './refetch.ts'
import { keepRows } from './task-rows.ts'
import { putTasks } from './task-store.ts'

/** What `GET /internal/projects/:id/index` gives: the numbers of the tasks of a view, in order and by group. */
export interface ProjectIndex {
  total: number
  /** Of these: not finished, and of those with a due date that has passed. */
  open: number
  overdue: number
  estimate_seconds: number
  time_spent_seconds: number
  groups: readonly IndexGroup[]
  /** Number of the parent, by the number of a subtask in the list. */
  parents: Readonly<Record<string, number>>
  /** Where asked for: number, start and due as days since 1970-01-01, of tasks that have one of these. */
  spans?: readonly (readonly [number, number | null, number | null])[]
  /** With them: a task that blocks, and one that waits for it, by number. */
  blocks?: readonly (readonly [number, number])[]
}

/** Numbers of tasks in their order, and sums of all of them. */
export interface IndexGroup {
  key: string
  count: number
  estimate_seconds: number
  time_spent_seconds: number
  numbers: readonly number[]
}

export const emptyGroup = (key: string): IndexGroup => ({
  ...{ key, count: 0, estimate_seconds: 0, time_spent_seconds: 0, numbers: [] },
})

export type IndexQuery = Record<string, string | readonly string[] | boolean>

/** An index and when it was asked for (ms): what was changed here since is not in it. */
export interface Indexed {
  index: ProjectIndex
  askedAt: number
  /** The query that it answers. */
  of: string
}

/** So many of the first tasks come along with an index that is asked for the first time: a screen of rows. */
const FIRST = 40

/** Asks for the index of a view, and for its first tasks where they are not on the screen. */
export async function loadIndex(
  project_id: string,
  search: string,
  signal?: AbortSignal,
  first = 0,
): Promise<Indexed> {
  await released(signal)
  const askedAt = Date.now()
  const rows = first > 0 ? `&rows=${first}` : ''
  const address = `/internal/projects/${project_id}/index?${search}${rows}`
  const name = `index ${project_id} ${search}`
  const asked = reach(address, { credentials: 'same-origin', ...(signal && { signal }) })
  const response = await orKept(asked, name)
  const isKept = !(response instanceof Response)
  if (!isKept && !response.ok) throw await refusalOf(response)
  const text = isKept ? response.text : await response.text()
  const { rows: tasks = [], ...index } = JSON.parse(text) as ProjectIndex & {
    rows?: readonly Task[]
  }
  putTasks(tasks)
  if (!isKept) {
    keepReplies([[name, text]], askedAt)
    keepRows(tasks)
  }
  // What was changed here since is placed on top of it.
  return { index, askedAt: isKept ? response.at : askedAt, of: `${project_id}?${search}` }
}

const indexQuery = (project_id: string, search: string) => {
  const queryKey = ['index', project_id, search]
  return queryOptions({
    queryKey,
    queryFn: ({ signal }) => {
      const first = queries.getQueryData(queryKey) === undefined ? FIRST : 0
      return loadIndex(project_id, search, signal, first)
    },
    // An index of 10,000 numbers is never compared with the one before.
    structuralSharing: false,
  })
}

/** Asks for an index before the screen that shows it is drawn. */
export const beginIndex = (project_id: string, query: IndexQuery): void =>
  void queries.prefetchQuery(indexQuery(project_id, searchOf(query)))

/** The query as an address has it; the order of its parts does not matter to what it asks. */
export function searchOf(query: IndexQuery): string {
  const pairs = Object.entries(query).map(([name, value]) => [name, String(value)])
  return String(new URLSearchParams(pairs)).replaceAll('%2C', ',')
}

/**
 * The index of a view. One that comes while the viewer holds the pointer down, types or has a menu open waits:
 * rows never move under their hands.
 */
export function useIndex(project_id: string, query: IndexQuery, wanted = true) {
  const search = searchOf(query)
  const { data, error, refetch } = useQuery({ ...indexQuery(project_id, search), enabled: wanted })
  const [shown, show] = useState(data)
  useEffect(() => {
    if (!data) return
    if (data.of !== shown?.of || !isBusy()) show(data)
    else return onCalm(() => show(data))
  }, [data, shown?.of])
  const indexed = data && shown?.of === data.of ? shown : data
  return { indexed, error, retry: () => void refetch() }
}
