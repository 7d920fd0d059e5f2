import type { HandoverResult, handOver } from '#resources/offboarding/internal.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'

/**
 * Hands over all open work of a member, one batch per request. Calls `onProgress` with the number
 * of processed items after each, and returns the number of items that could not be handed over.
 */
export async function handOverAllWork(
  id: string,
  to: string,
  onProgress: (processed: number) => void,
): Promise<number> {
  let [processed, refused] = [0, 0]
  let batch: HandoverResult | undefined
  do {
    const body = { to, ...(batch?.after && { after: batch.after }) }
    const input = { params: { id }, body }
    batch = await requestEndpoint<typeof handOver>('POST /internal/members/:id/hand-over', input)
    refused += batch.refused
    processed += batch.tasks + batch.unassigned + batch.projects + batch.refused
    onProgress(processed)
  } while (!batch.done)
  return refused
}
