import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { getProjectMatches } from '#resources/web-app/project-tasks/contract.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { getFilterText, hasFilterText, loadSearchWords } from '../filter/filter-query.ts'
import type { ViewFilter } from '../filter/view-filter.ts'

/**
 * Which tasks have the words of a filter. Titles are compared here, at once; the server knows the
 * descriptions, most of which this page does not have. In all projects, `found` are those that it knows.
 */
export function useTextMatch(
  project_id: string | undefined,
  filter: ViewFilter,
  found?: { has(id: string): boolean },
) {
  const text = getFilterText(filter)
  const {
    data: numbers,
    error,
    refetch,
  } = useQuery({
    queryKey: ['search', 'matches', project_id, text],
    enabled: text !== undefined && project_id !== undefined,
    queryFn: async ({ signal }) => {
      const reply = await requestEndpoint<typeof getProjectMatches>(
        'GET /internal/projects/:id/matches',
        { params: { id: project_id ?? '' }, query: { q: text ?? '' } },
        { signal },
      )
      return reply.numbers
    },
  })
  const { data: searchWords } = useQuery({
    queryKey: ['search-words'],
    enabled: text !== undefined,
    queryFn: loadSearchWords,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })
  const matches = useMemo(() => {
    if (text === undefined) return undefined
    const foundNumbers = new Set(numbers)
    return (task: Task) =>
      (project_id === undefined ? found?.has(task.id) : foundNumbers.has(task.number)) ||
      (searchWords !== undefined && hasFilterText(task, text, searchWords))
  }, [text, project_id, found, numbers, searchWords])
  const isIncomplete = text !== undefined && project_id !== undefined && numbers === undefined
  return {
    /** Undefined without words. */
    matches,
    /** Whether tasks may be missing, because the server has not answered. */
    isIncomplete,
    error: isIncomplete ? (error ?? undefined) : undefined,
    retry: () => void refetch(),
  }
}
