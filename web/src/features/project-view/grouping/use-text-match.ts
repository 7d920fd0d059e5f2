import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type {
  getOpenMatches,
  getProjectMatches,
} from '#resources/web-app/project-tasks/contract.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { getFilterText, hasFilterText, loadSearchWords } from '../filter/filter-query.ts'
import type { ViewFilter } from '../filter/view-filter.ts'

/**
 * Which tasks have the words of a filter. Titles are compared here, at once; the server knows the
 * descriptions, most of which this page does not have.
 */
export function useTextMatch(project_id: string | undefined, filter: ViewFilter) {
  const text = getFilterText(filter)
  const {
    data: matchesOfServer,
    error,
    refetch,
  } = useQuery({
    queryKey: ['search', 'matches', project_id, text],
    enabled: text !== undefined,
    queryFn: ({ signal }) => searchOnServer(project_id, text ?? '', signal),
    structuralSharing: false,
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
    return (task: Task) =>
      matchesOfServer?.(task) === true ||
      (searchWords !== undefined && hasFilterText(task, text, searchWords))
  }, [text, matchesOfServer, searchWords])
  const isIncomplete = text !== undefined && matchesOfServer === undefined
  return {
    /** Undefined without words. */
    matches,
    /** Whether tasks may be missing, because the server has not answered. */
    isIncomplete,
    error: isIncomplete ? (error ?? undefined) : undefined,
    retry: () => void refetch(),
  }
}

/** Asks which tasks of a project, or which open ones of all projects, have these words. */
async function searchOnServer(
  project_id: string | undefined,
  q: string,
  signal: AbortSignal,
): Promise<(task: Pick<Task, 'id' | 'number'>) => boolean> {
  if (project_id === undefined) {
    const sent = { query: { q } }
    const { ids } = await requestEndpoint<typeof getOpenMatches>(
      'GET /internal/open-tasks/matches',
      sent,
      { signal },
    )
    const found = new Set(ids)
    return ({ id }) => found.has(id)
  }
  const sent = { params: { id: project_id }, query: { q } }
  const { numbers } = await requestEndpoint<typeof getProjectMatches>(
    'GET /internal/projects/:id/matches',
    sent,
    { signal },
  )
  const found = new Set(numbers)
  return ({ number }) => found.has(number)
}
