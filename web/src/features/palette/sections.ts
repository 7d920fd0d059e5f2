import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { listTasks } from '#resources/tasks/contract.ts'
import { useBoot } from '../../data/boot.ts'
import { recentTasks } from '../../data/recent.ts'
import { allTasks, putTasks } from '../../data/task-store.ts'
import { call } from '../../lib/call.ts'
import { m } from '../../messages/palette.ts'
import { useEntries } from './entries.ts'
import { type Entry, type Found, fitting, knownTasks, mergedTasks, shortIdOf } from './found.ts'

const TYPING_MS = 120

interface Section {
  title: string
  found: Found[]
}

/** What fits: from what the page knows at once, and from the server a moment later. */
export function useSections(typed: string): Section[] {
  const { projects } = useBoot()
  const { taskEntry, open, commands, everything, places } = useEntries(typed)
  const asked = useSettled(typed.trim(), TYPING_MS)
  const { data } = useFound(asked)
  // As it was when it was typed: what the server adds comes after it, however well it fits.
  const known = useMemo(
    () => (typed.trim() === '' ? recentTasks() : knownTasks(allTasks(), typed)),
    [typed],
  )
  return useMemo(() => {
    const nothing = typed.trim() === ''
    // An answer to what was typed before says nothing about what is typed now.
    const more = asked === typed.trim() ? data : undefined
    const tasks = mergedTasks(known, more ?? [])
    const wanted = shortIdOf(typed, projects)
    const exact = tasks.find(({ short_id }) => short_id === wanted)
    const first = exact ? taskEntry(exact) : wanted && !more ? openEntry(wanted, open) : undefined
    const entries = tasks.filter((task) => task !== exact).map(taskEntry)
    // It keeps its key while it becomes known: it is the same line.
    const all = first ? [{ ...first, key: 'exact' }, ...entries] : entries
    const found = all.map((entry) => ({
      ...entry,
      match: fitting([entry], typed)[0]?.match ?? NONE,
    }))
    return [
      { title: nothing ? m.recent : m.tasks, found },
      {
        title: m.commands,
        // Last of all: whoever types a command means it, and Tab does this one.
        found: [...fitting(commands, typed), ...(nothing ? [] : [{ ...everything, match: NONE }])],
      },
      { title: m.places, found: fitting(places, typed) },
    ].filter((section) => section.found.length > 0)
  }, [typed, asked, data, known, projects, taskEntry, open, commands, everything, places])
}

const useFound = (asked: string) =>
  useQuery({
    queryKey: ['palette', asked],
    enabled: asked !== '',
    staleTime: 10_000,
    queryFn: async ({ signal }) => {
      const query = { q: asked.slice(0, 200), limit: 8 }
      const page = await call<typeof listTasks>('GET /api/v1/tasks', { query }, { signal })
      putTasks(page.data)
      return page.data
    },
  })

/** A task that is not known yet can be opened by its number all the same. */
const openEntry = (short_id: string, open: (short_id: string, beside: boolean) => void): Entry => ({
  ...{ key: 'exact', kind: 'task', label: m.openTask(short_id), gutter: short_id, hint: '' },
  run: (beside) => open(short_id, beside),
})

const NONE = { score: 0, ranges: [] }

/** A value once it has stayed the same for a while. */
function useSettled(value: string, ms: number): string {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
