import { manages } from '#core/actor.ts'
import { anyone, type Operation, route } from '#core/route.ts'
import { openLive } from './contract.ts'
import { projectsSeen } from './store.ts'

const seen: Operation<typeof openLive> = async (tx) => {
  if (manages(tx.actor)) return { project_ids: null }
  const projects = await tx.all(projectsSeen, {})
  return { project_ids: projects.map(({ id }) => id) }
}

export const live = [route(openLive, anyone, seen)]
