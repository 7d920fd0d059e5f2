import type { getProject, Project } from '#resources/projects/contract.ts'
import type { updateProject } from '#resources/projects/internal.ts'
import { findChangedFields, toRevision } from '../../data/mutations/record-revision.ts'
import { bootState } from '../../data/session/boot.ts'
import { cacheProject } from '../../data/session/boot-records.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { type CallInput, requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { projectMessages } from '../../messages/projects/projects.ts'

type ProjectPatch = CallInput<typeof updateProject>['body']

/** Somebody else has changed the same fields; shown at these, and in general for others. */
export class ProjectConflictError extends ApiResponseError {
  /** The project as it is now. */
  readonly current: Project

  constructor(current: Project, fields: readonly string[]) {
    const code = 'version_mismatch'
    const message = projectMessages.changedMeanwhile
    super(412, {
      code,
      message,
      request_id: '',
      details: fields.map((field) => ({ field, code, message })),
    })
    this.current = current
  }
}

/**
 * Changes fields of a project that was read as `base`. If somebody else has changed other fields
 * since, both changes stay; for the same field it throws, so that the person decides.
 */
export async function saveProject(base: Project, patch: ProjectPatch): Promise<Project> {
  let current = bootState.get()?.projects.find(({ id }) => id === base.id) ?? base
  for (;;) {
    const conflicts = findChangedFields(base, patch, current)
    if (conflicts.length > 0) throw new ProjectConflictError(current, conflicts)
    try {
      const saved = await requestEndpoint<typeof updateProject>(
        'PATCH /internal/projects/:id',
        { params: { id: base.id }, body: patch },
        { ifMatch: toRevision(current) },
      )
      cacheProject(saved)
      return saved
    } catch (error) {
      if (!(error instanceof ApiResponseError) || error.code !== 'version_mismatch') throw error
      const latest = await requestEndpoint<typeof getProject>('GET /api/v1/projects/:id', {
        params: { id: base.id },
      })
      // The same revision would be refused again and again.
      if (latest.updated_at === current.updated_at) throw error
      cacheProject(latest)
      current = latest
    }
  }
}
