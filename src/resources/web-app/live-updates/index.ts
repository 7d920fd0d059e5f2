import { isManager } from '#core/actor.ts'
import { allowAnyRole, type StreamOperation, streamRoute } from '#core/route.ts'
import { streamLiveUpdates } from './contract.ts'
import { visibleProjectIds } from './store.ts'

const readVisibleProjects: StreamOperation<typeof streamLiveUpdates> = async (tx) => {
  if (isManager(tx.actor)) return { project_ids: null }
  const projects = await tx.all(visibleProjectIds, {})
  return { project_ids: projects.map(({ id }) => id) }
}

export const liveUpdates = [streamRoute(streamLiveUpdates, allowAnyRole, readVisibleProjects)]
