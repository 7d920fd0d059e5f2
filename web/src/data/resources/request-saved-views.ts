import type { listAllProjectsViews, listViews, View } from '#resources/web-app/views/internal.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'

/** Reads the saved views of a project, or with null those of all projects. */
export async function requestSavedViews(project_id: string | null): Promise<View[]> {
  const { data } =
    project_id === null
      ? await requestEndpoint<typeof listAllProjectsViews>('GET /internal/views', {})
      : await requestEndpoint<typeof listViews>('GET /internal/projects/:id/views', {
          params: { id: project_id },
        })
  return data
}
