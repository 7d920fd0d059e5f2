import type { HandedOver, handOver } from '#resources/leaving/internal.ts'
import { call } from '../../../lib/call.ts'

/**
 * Hands over all that waits for a member, some at each request; tells after each how much is through, and
 * gives how much was refused.
 */
export async function handOverAll(
  id: string,
  to: string,
  onStep: (through: number) => void,
): Promise<number> {
  let [through, refused] = [0, 0]
  let step: HandedOver | undefined
  do {
    const body = { to, ...(step?.after && { after: step.after }) }
    const sent = { params: { id }, body }
    step = await call<typeof handOver>('POST /internal/members/:id/hand-over', sent)
    refused += step.refused
    through += step.tasks + step.unassigned + step.projects + step.refused
    onStep(through)
  } while (!step.done)
  return refused
}
