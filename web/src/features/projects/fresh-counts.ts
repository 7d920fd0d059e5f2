import { useQuery } from '@tanstack/react-query'
import type { listProjects } from '#resources/projects/contract.ts'
import { changeBoot } from '../../data/boot.ts'
import { allPages } from '../../data/pages.ts'
import { call } from '../../lib/call.ts'

/** Keeps the projects' counts of tasks true while they are looked at: they move without the projects. */
export function useFreshCounts(): void {
  useQuery({
    queryKey: ['tasks', 'counts'],
    queryFn: async ({ signal }) => {
      const projects = await allPages((query) =>
        call<typeof listProjects>('GET /api/v1/projects', { query }, { signal }),
      )
      changeBoot((boot) => ({ ...boot, projects }))
      return projects.length
    },
  })
}
