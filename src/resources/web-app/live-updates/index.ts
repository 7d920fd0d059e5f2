import { isManager } from '#core/actor.ts'
import { allowAnyRole, type StreamOperation, streamRoute } from '#core/route.ts'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { streamLiveUpdates } from './contract.ts'

const readVisibleProjects: StreamOperation<typeof streamLiveUpdates> = async (tx) => {
  if (isManager(tx.actor)) return { project_ids: null }
  const projects = await tx.all(visibleProjectIds, {})
  return { project_ids: projects.map(({ id }) => id) }
}

export const liveUpdates = [streamRoute(streamLiveUpdates, allowAnyRole, readVisibleProjects)]

/** The ids of the projects that the actor sees. */
const visibleProjectIds = query((db, $: Scoped) =>
  db
    .selectFrom('projects')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where(isProjectVisible($)),
)
