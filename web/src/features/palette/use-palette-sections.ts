import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { listTasks } from '#resources/tasks/contract.ts'
import { useBoot } from '../../data/session/boot.ts'
import { getRecentTasks } from '../../data/tasks/recent-tasks.ts'
import { queryTasks } from '../../data/tasks/task-replica.ts'
import { getCachedTasks } from '../../data/tasks/task-store.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { paletteMessages } from '../../messages/app/palette.ts'
import {
  type MatchedPaletteEntry,
  matchEntries,
  matchLoadedTasks,
  mergeServerTasks,
  type PaletteEntry,
  parseShortId,
} from './match-entries.ts'
import { usePaletteEntries } from './use-palette-entries.ts'

const TYPING_DELAY_MS = 120

interface PaletteSection {
  title: string
  entries: MatchedPaletteEntry[]
}

/** The matches by section: loaded data at once, and tasks of the server when they arrive. */
export function usePaletteSections(typed: string): PaletteSection[] {
  const { projects } = useBoot('projects')
  const { taskEntry, open, commands, everything, places } = usePaletteEntries(typed)
  const searchText = useDebounced(typed.trim(), TYPING_DELAY_MS)
  const { data } = useServerTasks(searchText)
  // Computed once for each text: tasks of the server come after these, even if they match better.
  const loadedTasks = useMemo(
    () => (typed.trim() === '' ? getRecentTasks() : matchLoadedTasks(getCachedTasks(), typed)),
    [typed],
  )
  return useMemo(() => {
    const isEmpty = typed.trim() === ''
    // The response to an earlier text is not one to the current text.
    const serverTasks = searchText === typed.trim() ? data : undefined
    const tasks = mergeServerTasks(loadedTasks, serverTasks ?? [])
    const shortId = parseShortId(typed, projects)
    const exact = tasks.find(({ short_id }) => short_id === shortId)
    const first = exact
      ? taskEntry(exact)
      : shortId && !serverTasks
        ? createShortIdEntry(shortId, open)
        : undefined
    const taskEntries = tasks.filter((task) => task !== exact).map(taskEntry)
    // The key stays the same when the task is loaded, so the entry stays highlighted.
    const found = first ? [{ ...first, key: 'exact' }, ...taskEntries] : taskEntries
    const entries = found.map((entry) => ({
      ...entry,
      match: matchEntries([entry], typed)[0]?.match ?? NO_MATCH,
    }))
    const all = [
      { title: isEmpty ? paletteMessages.recent : paletteMessages.tasks, entries },
      {
        title: paletteMessages.commands,
        // Last, so that Enter runs a matching command. Tab runs the full search in any case.
        entries: [
          ...matchEntries(commands, typed),
          ...(isEmpty ? [] : [{ ...everything, match: NO_MATCH }]),
        ],
      },
      { title: paletteMessages.places, entries: matchEntries(places, typed) },
    ].filter((section) => section.entries.length > 0)
    // Enter runs what was typed rather than what was perhaps meant.
    const isGuess = ({ entries: [best] }: PaletteSection) => (best?.match.errors ?? 0) > 0
    return all.toSorted((a, b) => Number(isGuess(a)) - Number(isGuess(b)))
  }, [
    typed,
    searchText,
    data,
    loadedTasks,
    projects,
    taskEntry,
    open,
    commands,
    everything,
    places,
  ])
}

const useServerTasks = (searchText: string) =>
  useQuery({
    queryKey: ['palette', searchText],
    enabled: searchText !== '',
    staleTime: 10_000,
    queryFn: async ({ signal }) => {
      const query = { q: searchText.slice(0, 200), limit: 8 }
      const page = await queryTasks(
        () =>
          requestEndpointForResult<typeof listTasks>('GET /api/v1/tasks', { query }, { signal }),
        ({ data }) => data,
      )
      return page.data
    },
  })

/** Opens a task by its short id while it is not loaded. */
const createShortIdEntry = (
  short_id: string,
  open: (short_id: string, beside: boolean) => void,
): PaletteEntry => ({
  key: 'exact',
  kind: 'task',
  label: paletteMessages.openTask(short_id),
  gutter: short_id,
  hint: '',
  run: (beside) => open(short_id, beside),
})

const NO_MATCH = { errors: 0, score: 0, ranges: [] }

/** Returns the value after it has stayed the same for `ms`. */
function useDebounced(value: string, ms: number): string {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return debounced
}
