import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Task } from '#resources/tasks/fields.ts'
import { INITIAL_ROWS } from '#wire/default-project-view.ts'
import { delay } from '../../lib/browser/delay.ts'
import { runWhenIdle } from '../../lib/browser/run-when-idle.ts'
import { fetchOrThrow, readTextOrThrow } from '../../lib/http/fetch-or-throw.ts'
import { orCached } from '../../lib/http/fetch-with-cache.ts'
import { getPageSessionHeaders } from '../../lib/http/page-session.ts'
import { cacheReplies, readCached } from '../../lib/http/reply-cache.ts'
import { readErrorResponse } from '../../lib/http/request-endpoint.ts'
import { waitForSessionPause } from '../../lib/http/request-pause.ts'
import { isUserBusy, whenUserIdle } from '../live/user-activity.ts'
import { bootState, findProjectByPrefix, whenBootExact } from '../session/boot.ts'
import { putTasks } from '../tasks/task-store.ts'
import { queryClient } from './query-client.ts'
import { cacheTaskRows } from './task-rows.ts'

/** Reply of `GET /internal/projects/:id/index`: the task numbers of a view, in order, by group. */
export interface ProjectIndex {
  total: number
  /** How many of these are not finished, and how many of those are past their due date. */
  open: number
  overdue: number
  estimate_seconds: number
  time_spent_seconds: number
  groups: readonly ProjectIndexGroup[]
  /** The parent's number for each subtask in the list, by the subtask's number. */
  parents: Readonly<Record<string, number>>
  /** On request: number, start and due (days since 1970-01-01) of each task that has a date. */
  spans?: readonly (readonly [number, number | null, number | null])[]
  /** Along with the spans: pairs of a blocking task and the task that it blocks, by number. */
  blocks?: readonly (readonly [number, number])[]
  /** Along with them: the blocking tasks that are completed or canceled, by number. */
  finished?: readonly number[]
}

/** The task numbers of one group in order, and the sums over all of them. */
export interface ProjectIndexGroup {
  key: string
  count: number
  estimate_seconds: number
  time_spent_seconds: number
  numbers: readonly number[]
}

export const createEmptyIndexGroup = (key: string): ProjectIndexGroup => ({
  key,
  count: 0,
  estimate_seconds: 0,
  time_spent_seconds: 0,
  numbers: [],
})

export type ProjectIndexSearch = Record<string, string | readonly string[] | boolean>

/** An index and when it was requested (ms). Later local changes are not in it. */
export interface ProjectIndexResult {
  index: ProjectIndex
  requestedAt: number
  /** The project and search that it is the result of. */
  query: string
}

const MAX_IDLE_WAIT_MS = 1_000

const indexCacheKey = (project_id: string, search: string) => `index ${project_id} ${search}`

const cachedIndexes = new WeakSet<ProjectIndex>()

/** Caches an index, as it was at a moment (ms), for use without a network, once the browser is idle. */
export function cacheIndex(
  project_id: string,
  search: string,
  index: ProjectIndex,
  at = Date.now(),
): void {
  if (cachedIndexes.has(index)) return
  cachedIndexes.add(index)
  const cache = () => cacheReplies([[indexCacheKey(project_id, search), JSON.stringify(index)]], at)
  runWhenIdle(cache, MAX_IDLE_WAIT_MS)
}

/** Fetches the index of a view, with its first tasks if `first` is above 0. */
export async function fetchProjectIndex(
  project_id: string,
  search: string,
  signal?: AbortSignal,
  first = 0,
): Promise<ProjectIndexResult> {
  await waitForSessionPause(signal)
  const query = first > 0 ? `${search}&rows=${first}` : search
  const name = indexCacheKey(project_id, search)
  const late = takeLateIndex(name)
  const loading = late ? Promise.resolve(late) : loadIndex(project_id, query, signal)
  const { content, requestedAt, isCopy } = await orCached(
    loading,
    () => readCachedIndex(name),
    () => void keepLateIndex(name, loading),
  )
  const { rows: tasks = [], ...index } = content
  putTasks(tasks)
  if (!isCopy) {
    // The tasks are cached by themselves, and kept up to date by the feed of changes.
    cacheIndex(project_id, search, index, requestedAt)
    cacheTaskRows(tasks)
  }
  // Local changes since this time are applied on top of the index.
  return { index, requestedAt, query: `${project_id}?${search}` }
}

interface IndexReply extends ProjectIndex {
  project_id: string
  /** The newest notice of which the index knows. */
  notice: string
  rows?: readonly Task[]
}

interface LoadedIndex {
  content: IndexReply
  /** When it was requested (ms). */
  requestedAt: number
  /** Whether it comes from the offline cache. */
  isCopy?: boolean
}

/** Indexes that came after the cache had answered; the next read of the same name takes them. */
const lateIndexes = new Map<string, LoadedIndex>()
const LATE_INDEX_TTL_MS = 4_000

async function keepLateIndex(name: string, loading: Promise<LoadedIndex>): Promise<void> {
  // If none comes, it is requested again with everything else.
  const index = await loading.catch(() => undefined)
  if (!index) return
  lateIndexes.set(name, index)
  await delay(LATE_INDEX_TTL_MS)
  lateIndexes.delete(name)
}

/** Live updates begin at the notice of the boot data; an index of another moment may lack a change. */
function takeLateIndex(name: string): LoadedIndex | undefined {
  const late = lateIndexes.get(name)
  lateIndexes.delete(name)
  return late?.content.notice === bootState.get()?.notice ? late : undefined
}

const parseIndex = (text: string, requestedAt: number): LoadedIndex => ({
  content: JSON.parse(text),
  requestedAt,
})

async function readCachedIndex(name: string): Promise<LoadedIndex | undefined> {
  const cached = await readCached(name)
  return cached && { ...parseIndex(cached.text, cached.at), isCopy: true }
}

async function loadIndex(
  project_id: string,
  query: string,
  signal: AbortSignal | undefined,
): Promise<LoadedIndex> {
  const preloaded = await readPreloadedIndex(project_id, query)
  if (preloaded) return preloaded
  const requestedAt = Date.now()
  const reply = await fetchOrThrow(`/internal/projects/${project_id}/index?${query}`, {
    credentials: 'same-origin',
    headers: getPageSessionHeaders(),
    ...(signal && { signal }),
  })
  if (!reply.ok) throw await readErrorResponse(reply)
  return parseIndex(await readTextOrThrow(reply, signal), requestedAt)
}

/**
 * The reply that the head of the page has preloaded (`http/web-app/page-renderer.ts`), once.
 * Undefined if it is not to be had, or not what the page needs: it was requested along with the boot
 * data, by the prefix in the address. So it may be of another workspace that the session is about to
 * leave, or of another moment than the boot data, from whose notice on the page learns of changes.
 */
async function readPreloadedIndex(
  project_id: string,
  query: string,
): Promise<LoadedIndex | undefined> {
  const link = document.querySelector<HTMLLinkElement>(
    `link[href^="/internal/projects/"][href$="/index?${query}"]`,
  )
  const boot = bootState.get()
  const [, prefix] = /projects\/(\w+)/.exec(link?.href ?? '') ?? []
  // The service worker's copy of the page has the link of another address.
  if (!link || !boot || !prefix || findProjectByPrefix(boot, prefix)?.id !== project_id)
    return undefined
  link.remove()
  try {
    // A request with other headers than the preload's would not get its reply.
    const reply = await fetch(link.href, { credentials: 'same-origin' })
    if (!reply.ok) return undefined
    // It was requested before this code ran, as the page began to load.
    const index = parseIndex(await reply.text(), Date.now() - performance.now())
    const { content } = index
    await whenBootExact()
    const isUsable = content.project_id === project_id && content.notice === bootState.get()?.notice
    return isUsable ? index : undefined
  } catch {
    // The ordinary request follows, and tells whatever is wrong.
    return undefined
  }
}

const indexQuery = (project_id: string, search: string) => {
  const queryKey = ['index', project_id, search]
  return queryOptions({
    queryKey,
    queryFn: ({ signal }) => {
      const first = queryClient.getQueryData(queryKey) === undefined ? INITIAL_ROWS : 0
      return fetchProjectIndex(project_id, search, signal, first)
    },
    // Comparing an index of 10,000 numbers with the previous one would take too long.
    structuralSharing: false,
  })
}

/** Requests an index before the screen that shows it renders. */
export const prefetchProjectIndex = (project_id: string, query: ProjectIndexSearch): void =>
  void queryClient.prefetchQuery(indexQuery(project_id, toIndexSearch(query)))

/** The query as a URL search string. The server ignores the order of its parameters. */
export function toIndexSearch(query: ProjectIndexSearch): string {
  const pairs = Object.entries(query).map(([name, value]) => [name, String(value)])
  return String(new URLSearchParams(pairs)).replaceAll('%2C', ',')
}

/**
 * The index of a view. An update that arrives while the person holds the pointer down, types or has
 * a menu open is shown afterwards, so that rows never move during an interaction.
 */
export function useProjectIndex(project_id: string, query: ProjectIndexSearch, enabled = true) {
  const search = toIndexSearch(query)
  const { data, error, refetch } = useQuery({ ...indexQuery(project_id, search), enabled })
  const [displayed, setDisplayed] = useState(data)
  useEffect(() => {
    if (!data) return
    if (data.query !== displayed?.query || !isUserBusy()) setDisplayed(data)
    else return whenUserIdle(() => setDisplayed(data))
  }, [data, displayed?.query])
  const indexed = data && displayed?.query === data.query ? displayed : data
  return { indexed, error, retry: () => void refetch() }
}
