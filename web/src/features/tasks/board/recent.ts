import { useMemo } from 'react'
import { useIndex } from '../../../data/project-index.ts'
import { idOfNumber, taskOf } from '../../../data/task-store.ts'
import { queryOf } from '../filter-query.ts'
import type { Screen } from '../screen.ts'
import type { View } from '../view.ts'

const DAYS = 14
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Which tasks were completed in the last 14 days; undefined while that is not known. */
export function useRecent(
  { project, meaning }: Screen,
  view: View,
): ((number: number) => boolean) | undefined {
  const done = project.statuses
    .filter(({ category }) => category === 'completed')
    .map(({ key }) => key)
  // Whole hours, so that the same board asks the same.
  const since = Math.floor(meaning.now / HOUR_MS) * HOUR_MS - DAYS * DAY_MS
  const after = new Date(since).toISOString()
  const { api, beyond } = queryOf(view.filter, meaning)
  const query = { ...api, ...beyond, status: done, completed_after: after, group: 'none' }
  const { indexed } = useIndex(
    project.id,
    query,
    view.group === 'status' && api.status === undefined,
  )
  const index = indexed?.index
  return useMemo(() => {
    if (!index) return undefined
    const numbers = new Set(index.groups.flatMap((group) => group.numbers))
    return (number) => {
      const known = taskOf(idOfNumber(project.id, number) ?? '')
      return numbers.has(number) || (known?.completed_at ?? '') > after
    }
  }, [index, project.id, after])
}
